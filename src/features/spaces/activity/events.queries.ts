/** SQL for lists of events: of a project, of a group, of a user, of the projects of a user. */
import type { ExpressionBuilder } from 'kysely'
import { codeVisibleTo, projectsOfMember, projectsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, PageOf } from '../../../db/database.ts'
import type { EventTable, Instant, Tables } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

/** Whose events: of a project, of all projects below a group, by a user, or of the projects a user is a member of or has starred. */
export type EventScope =
  | { project_id: number }
  | { group_id: number }
  | { author_id: number }
  | { member_id: number }
  | { starred_by: number }

export const eventFilters = ['all', 'push', 'comments', 'team'] as const

export type EventFilter = (typeof eventFilters)[number]

export interface ListedEvent {
  id: number
  action: EventTable['action']
  ref: string | null
  before_oid: string | null
  after_oid: string | null
  commit_count: number | null
  commit_title: string | null
  /** Of the commit that was commented on; null where the comment is gone. */
  commented_oid: string | null
  created_at: Instant
  project_path: string
  author: UserInBrief
}

type InEvents = ExpressionBuilder<Tables & { commented: Tables['commit_comments'] }, 'events' | 'projects' | 'users'>

/**
 * The events of the scope that the viewer may see, the latest first, and whether there are more after this page: one statement. What
 * tells of code is for those who may read the code.
 */
export async function listEvents(
  db: Db,
  viewer: Viewer,
  scope: EventScope,
  { limit, offset }: PageOf,
  filter: EventFilter = 'all',
): Promise<{ rows: ListedEvent[]; hasMore: boolean }> {
  const found = await db
    .selectFrom('events')
    .innerJoin('projects', 'projects.id', 'events.project_id')
    .innerJoin('routes', 'routes.project_id', 'events.project_id')
    .innerJoin('users', 'users.id', 'events.author_id')
    .leftJoin('commit_comments as commented', (join) =>
      join.onRef('commented.id', '=', 'events.target_id').on('events.action', '=', 'commented'),
    )
    .select([
      'events.id',
      'events.action',
      'events.ref',
      'events.before_oid',
      'events.after_oid',
      'events.commit_count',
      'events.commit_title',
      'events.created_at',
      'commented.commit_oid as commented_oid',
      'routes.path as project_path',
      'users.id as user_id',
      'users.name',
      'users.username',
      'users.state',
      'users.kind',
      'users.avatar_name',
    ])
    .where((eb) => isIn(scope)(eb as unknown as InEvents))
    .where((eb) => projectsVisibleTo(viewer)(eb as never))
    .where((eb) => eb.or([eb('events.action', 'in', [...actionsOf.team]), codeVisibleTo(viewer)(eb as never)]))
    .$if(filter !== 'all', (query) => query.where('events.action', 'in', [...actionsOf[filter as keyof typeof actionsOf]]))
    .orderBy('events.created_at', 'desc')
    .orderBy('events.id', 'desc')
    .limit(limit + 1)
    .offset(offset)
    .execute()
  const rows = found.slice(0, limit).map(({ user_id, name, username, state, kind, avatar_name, ...event }) => ({
    ...event,
    author: { id: user_id, name, username, state, kind, avatar_name },
  }))
  return { rows, hasMore: found.length > limit }
}

const actionsOf = {
  push: ['pushed'],
  comments: ['commented'],
  team: ['joined', 'left', 'expired'],
} as const satisfies Record<string, ReadonlyArray<EventTable['action']>>

function isIn(scope: EventScope) {
  return (eb: InEvents) => {
    if ('project_id' in scope) return eb('events.project_id', '=', scope.project_id)
    if ('author_id' in scope) return eb('events.author_id', '=', scope.author_id)
    if ('member_id' in scope) return projectsOfMember(scope.member_id)(eb as never)
    if ('starred_by' in scope) {
      const starred = eb
        .selectFrom('project_stars')
        .select('project_stars.project_id')
        .where('project_stars.user_id', '=', scope.starred_by)
      return eb('events.project_id', 'in', starred)
    }
    const below = eb
      .selectFrom('namespace_ancestors')
      .select('namespace_ancestors.namespace_id')
      .where('namespace_ancestors.ancestor_id', '=', scope.group_id)
    return eb('projects.namespace_id', 'in', below)
  }
}
