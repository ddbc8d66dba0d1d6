/** SQL for lists of events: of a project, of a group, of a user, of the projects of a user. */
import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { allEventsOpenTo, eventsVisibleTo } from '../../../access/events.ts'
import { withMemberships } from '../../../access/memberships.ts'
import { projectsOfMember, projectsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { cachedRows, directed, pageOfList, totalOf, totalOfGrowing } from '../../../db/list-cache.ts'
import { among, prepared, rowsByKeptPlan } from '../../../db/prepared-queries.ts'
import type { Day, EventAction, EventTable, Tables } from '../../../db/tables.ts'
import { eventOf, eventRows, type ListedEvent } from './event-rows.queries.ts'

/** Whose events: of a project, of all projects below a group, by a user, or of the projects that a user is a member of or has starred. */
export type EventScope =
  /** `seesAll`: the viewer is known to see every event. */
  { project_id: number; seesAll?: boolean } | { group_id: number } | { author_id: number } | { member_id: number } | { starred_by: number }

export const eventFilters = ['all', 'push', 'issue', 'merge_request', 'comments', 'wiki', 'team'] as const

export type EventFilter = (typeof eventFilters)[number]

/** Filters of clients. */
export interface EventConditions {
  /** Unsupported actions match nothing. */
  action?: string | undefined
  target_type?: string | undefined
  /** Days in UTC; events on the day itself are excluded. */
  before?: Day | undefined
  after?: Day | undefined
}

/** A list of events without an order. */
type Events = SelectQueryBuilder<Tables, 'events', Record<never, never>>

type InEvents = ExpressionBuilder<Tables, 'events' | 'projects' | 'issues' | 'notes'>

/** Longer notes are truncated in lists that don't show them completely. */
const shownOfNote_chars = 300

/** The latest events of the scope that the viewer may see, and whether there are more after this page: two statements. */
export async function newestEvents(
  db: Db,
  caller: Viewer,
  scope: EventScope,
  { limit, offset }: PageOf,
  filter: EventFilter,
): Promise<{ rows: ListedEvent[]; hasMore: boolean }> {
  const viewer = await withMemberships(db, caller)
  const found = await eventRows(db, shownOfNote_chars)
    .where((eb) => isIn(scope, viewer)(eb as unknown as InEvents))
    .where((eb) => eventsVisibleTo(viewer)(eb as unknown as InEvents))
    .where((eb) => isOfKind(filter)(eb as unknown as InEvents))
    .orderBy('events.created_at', 'desc')
    .orderBy('events.id', 'desc')
    .limit(limit + 1)
    .offset(offset)
    .execute()
  return { rows: found.slice(0, limit).map(eventOf), hasMore: found.length > limit }
}

/** One page of them, and their total: at most four statements. */
export async function pageOfEvents(
  db: Db,
  caller: Viewer,
  scope: EventScope,
  { sort, ...conditions }: EventConditions & { sort: 'asc' | 'desc' },
  page: PageOf,
): Promise<Found<ListedEvent>> {
  const { events, openPlaces } = await visibleIn(db, caller, scope)
  const query = events.where((eb) => meets(conditions)(eb as unknown as InEvents))
  // The actions of any user are found by an index. Date filters would double the number of statements.
  const keepsPlan = 'author_id' in scope && conditions.before === undefined && conditions.after === undefined
  const total = await (openPlaces
    ? totalOfGrowing(db, 'events', (eb) => eb.and([isInOpen(openPlaces)(eb), meets(conditions)(eb as unknown as InEvents)]))
    : totalOf(db, query, undefined, { keepsPlan }))
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) =>
    query.select('events.id').orderBy('events.created_at', directed(sort, isReversed)).orderBy('events.id', directed(sort, isReversed))
  return { rows: await pageOfList(db, ids, { ...page, total }, eventsById, { keepsPlan }), total }
}

/** For up to this many projects, a list of events names each of them. */
const maxPlaces = 200

/**
 * The events of the scope that the viewer may see, unordered. Those of projects in which they see every event, such as most of their own,
 * are not checked individually; `openPlaces` if there are no others.
 */
async function visibleIn(db: Db, caller: Viewer, scope: EventScope): Promise<{ events: Events; openPlaces: number[] | null }> {
  const places = await placesOf(db, caller, scope)
  const open = places?.filter(({ isOpen }) => isOpen === 1).map(({ id }) => id) ?? []
  const isOpen = isInOpen(open)
  if (places && open.length === places.length) return { events: db.selectFrom('events').where(isOpen) as Events, openPlaces: open }
  const viewer = await withMemberships(db, caller)
  const joined = db
    .selectFrom('events')
    .innerJoin('projects', 'projects.id', 'events.project_id')
    .leftJoin('issues', 'issues.id', 'events.issue_id')
    .leftJoin('notes', 'notes.id', 'events.note_id')
    .where((eb) => isIn(scope, viewer)(eb as unknown as InEvents))
    .where((eb) => eb.or([isOpen(eb as never), eventsVisibleTo(viewer)(eb as unknown as InEvents)]))
  return { events: joined as unknown as Events, openPlaces: null }
}

const bannedUsers = prepared((db: Db) => db.selectFrom('users').select('id').where('state', '=', 'banned').limit(1))

function isInOpen(projectIds: number[]) {
  return (eb: ExpressionBuilder<Tables, 'events'>) => (projectIds.length === 0 ? eb.lit(false) : eb('events.project_id', 'in', projectIds))
}

/** The projects of the scope that the viewer can see; null if there are too many to name, or the scope has none. */
async function placesOf(db: Db, viewer: Viewer, scope: EventScope): Promise<Array<{ id: number; isOpen: number }> | null> {
  if ('author_id' in scope) return null
  if ('project_id' in scope) {
    const isOpen = scope.seesAll === true && (viewer?.admin || (await bannedUsers(db)).length === 0)
    return [{ id: scope.project_id, isOpen: isOpen ? 1 : 0 }]
  }
  const found = await cachedRows<{ id: number; isOpen: number }>(
    db,
    db
      .selectFrom('projects')
      .select((eb) => ['projects.id', sql<number>`case when ${allEventsOpenTo(viewer)(eb)} then 1 else 0 end`.as('isOpen')])
      .where((eb) => eb.and([isIn(scope, viewer)(eb as never), projectsVisibleTo(viewer)(eb)]))
      .limit(maxPlaces + 1),
    { keepsPlan: true },
  )
  return found.length > maxPlaces ? null : found
}

async function eventsById(db: Db, ids: number[]): Promise<ListedEvent[]> {
  return (await rowsByKeptPlan(db, eventRows(db, null).where(among(db, 'events.id', ids)))).map(eventOf)
}

function isOfKind(filter: EventFilter) {
  return (eb: InEvents) => {
    if (filter === 'all') return eb.lit(true)
    if (filter === 'issue') return eb('events.target_type', '=', 'Issue')
    if (filter === 'merge_request') return eb('events.target_type', '=', 'MergeRequest')
    if (filter === 'wiki') return eb('events.target_type', '=', 'WikiPage')
    return eb('events.action', 'in', [...actionsOf[filter]])
  }
}

const actionsOf = {
  push: ['pushed'],
  comments: ['commented'],
  team: ['joined', 'left', 'expired'],
} as const satisfies Record<string, readonly EventAction[]>

function meets({ action, target_type, before, after }: EventConditions) {
  return (eb: InEvents) =>
    eb.and([
      ...(action === undefined ? [] : [eb('events.action', '=', action as EventAction)]),
      ...(target_type === undefined ? [] : [eb('events.target_type', '=', target_type as EventTable['target_type'])]),
      ...(before === undefined ? [] : [eb('events.created_at', '<', `${before}T00:00:00.000Z`)]),
      ...(after === undefined ? [] : [eb('events.created_at', '>', `${after}T23:59:59.999Z`)]),
    ])
}

function isIn(scope: EventScope, viewer: Viewer) {
  return (eb: InEvents) => {
    if ('project_id' in scope) return eb('events.project_id', '=', scope.project_id)
    if ('author_id' in scope) return eb('events.author_id', '=', scope.author_id)
    if ('member_id' in scope) return projectsOfMember(viewer?.id === scope.member_id ? viewer : { id: scope.member_id })(eb as never)
    if ('starred_by' in scope) {
      const starred = eb
        .selectFrom('project_stars')
        .select('project_stars.project_id')
        .where('project_stars.user_id', '=', scope.starred_by)
      return eb('projects.id', 'in', starred)
    }
    const below = eb
      .selectFrom('namespace_ancestors')
      .select('namespace_ancestors.namespace_id')
      .where('namespace_ancestors.ancestor_id', '=', scope.group_id)
    return eb('projects.namespace_id', 'in', below)
  }
}
