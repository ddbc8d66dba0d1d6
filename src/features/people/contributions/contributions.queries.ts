/** SQL for the contributions of users: pushes, comments, and issues and merge requests that they opened, closed, merged and approved. */
import { sql } from 'kysely'
import { eventsVisibleTo } from '../../../access/events.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { Day } from '../../../db/tables.ts'

export interface DayCount {
  day: Day
  number: number
}

/**
 * The number of contributions on each day since the given one, in UTC, limited to events that the viewer can see; days without any are left
 * out.
 */
export async function contributionsByDay(db: Db, author_id: number, viewer: Viewer, since: Day): Promise<DayCount[]> {
  const day = sql<Day>`substr(events.created_at, 1, 10)`
  const rows = await db
    .selectFrom('events')
    .innerJoin('projects', 'projects.id', 'events.project_id')
    .leftJoin('issues', 'issues.id', 'events.issue_id')
    .leftJoin('notes', 'notes.id', 'events.note_id')
    .select((eb) => [day.as('day'), eb.fn.countAll<number>().as('number')])
    .where('events.author_id', '=', author_id)
    .where((eb) =>
      eb.or([
        eb('events.action', 'in', ['pushed', 'commented']),
        eb.and([
          eb('events.target_type', 'in', ['Issue', 'MergeRequest']),
          eb('events.action', 'in', ['created', 'closed', 'merged', 'approved']),
        ]),
      ]),
    )
    .where('events.created_at', '>=', `${since}T00:00:00.000Z`)
    .where((eb) => eventsVisibleTo(viewer)(eb as never))
    .groupBy(day)
    .execute()
  return rows.map((row) => ({ day: row.day, number: Number(row.number) }))
}
