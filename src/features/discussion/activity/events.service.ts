/** Lists of events: pushes have their counts and titles, however recent they are. */
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Found, PageOf } from '../../../db/database.ts'
import { describePushes } from '../../repository/pushes/pushes.ts'
import type { ListedEvent } from './event-rows.queries.ts'
import { type EventConditions, type EventFilter, type EventScope, newestEvents, pageOfEvents } from './events.queries.ts'

/** The newest events of the scope that the viewer may see, and whether there are more after this page: two statements. */
export async function listEvents(
  app: App,
  viewer: Viewer,
  scope: EventScope,
  page: PageOf,
  filter: EventFilter = 'all',
): Promise<{ rows: ListedEvent[]; hasMore: boolean }> {
  const { rows, hasMore } = await newestEvents(app.db, viewer, scope, page, filter)
  return { rows: await describePushes(app, rows), hasMore }
}

/** One page of those that meet the conditions, and their total: at most four statements. */
export async function findEvents(
  app: App,
  viewer: Viewer,
  scope: EventScope,
  conditions: EventConditions & { sort: 'asc' | 'desc' },
  page: PageOf,
): Promise<Found<ListedEvent>> {
  const { rows, total } = await pageOfEvents(app.db, viewer, scope, conditions, page)
  return { rows: await describePushes(app, rows), total }
}
