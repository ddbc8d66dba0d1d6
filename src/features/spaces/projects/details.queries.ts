/** SQL for details of a page of projects: one statement for each, regardless of the number of projects. */
import { type ExpressionBuilder, sql } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import { notExpired } from '../../../access/members.ts'
import { groupsVisibleTo, issuesOnFor, projectsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Day, NotificationLevel, Tables, User } from '../../../db/tables.ts'
import { isFoundBy, type UserInBrief, type UserSearch } from '../../people/users/users.ts'

export type Owner = UserInBrief & Pick<User, 'created_at'>

/** The owners of the personal namespaces among these: one statement. */
export async function ownersOf(db: Db, ids: number[]): Promise<Map<number, Owner>> {
  const rows = ids.length === 0 ? [] : await ownersById(db, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

const ownersById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'state', 'kind', 'avatar_name', 'created_at'])
    .where(among(db, 'id', ids)),
)

/** The number of open issues that aren't confidential, for each project whose issues the viewer can see. */
export async function openIssueCounts(db: Db, viewer: User, projects: LocatedProject[]): Promise<Map<number, number>> {
  const on = projects.filter(({ issues_access_level }) => issues_access_level !== 'disabled')
  const isPrivate = !viewer.admin && on.some(({ issues_access_level }) => issues_access_level === 'private')
  const ids = on.map(({ id }) => id)
  const shown = isPrivate ? await projectsWithIssuesFor(db, viewer, ids) : ids
  const counts = new Map(shown.map((id) => [id, 0]))
  for (const { project_id, count } of shown.length === 0 ? [] : await openCounts(db, shown)) counts.set(project_id, count)
  return counts
}

async function projectsWithIssuesFor(db: Db, viewer: User, ids: number[]): Promise<number[]> {
  const found = await db.selectFrom('projects').select('projects.id').where('projects.id', 'in', ids).where(issuesOnFor(viewer)).execute()
  return found.map(({ id }) => id)
}

const openCounts = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('issue_counts')
    .select(['project_id', sql<number>`cast(sum(number) as bigint)`.as('count')])
    .where(among(db, 'project_id', ids))
    .where('state', '=', 'opened')
    .where('confidential', '=', false)
    // Names the table whose triggers maintain the counts, for the cache.
    .where(sql<boolean>`1 = 1 /* issues */`)
    .groupBy('project_id'),
)

export interface OwnLevel {
  project_id: number | null
  namespace_id: number | null
  access_level: number
  /** Null if the viewer chose none. */
  notification_level: NotificationLevel | null
}

/** The viewer's own memberships in these projects and in their namespaces: one statement. */
export async function ownLevels(db: Db, userId: number, projects: LocatedProject[]): Promise<OwnLevel[]> {
  if (projects.length === 0) return []
  const ids = projects.map(({ id }) => id)
  const namespaces = [...new Set(projects.map(({ namespace_id }) => namespace_id))]
  return ownMemberships(db, userId, today(), ids, namespaces)
}

/** Memberships that have not expired by `day`. A prepared query takes the day as an argument: otherwise it would stay the same forever. */
const ownMemberships = prepared((db: Db, userId: number, day: string, projects: readonly number[], namespaces: readonly number[]) =>
  db
    .selectFrom('members')
    .leftJoin('notification_settings', (join) =>
      join
        .onRef('notification_settings.user_id', '=', 'members.user_id')
        .on((eb) =>
          eb.or([
            eb('notification_settings.project_id', '=', eb.ref('members.project_id')),
            eb('notification_settings.namespace_id', '=', eb.ref('members.namespace_id')),
          ]),
        ),
    )
    .select(['members.project_id', 'members.namespace_id', 'access_level', 'notification_settings.level as notification_level'])
    .where('members.user_id', '=', userId)
    .where(notExpired(day))
    .where((eb) => eb.or([among(db, 'members.project_id', projects), among(db, 'members.namespace_id', namespaces)])),
)

export interface SharedGroup {
  project_id: number
  group_id: number
  group_name: string
  group_access_level: number
  expires_at: Day | null
}

const anyShare = prepared((db: Db, projects: readonly number[]) =>
  db
    .selectFrom('group_shares')
    .select('id')
    .where(among(db, 'project_id', projects))
    .limit(1),
)

/** The groups that these projects are shared with, as far as the viewer can see them. */
export async function sharedGroupsOf(db: Db, viewer: Viewer, ids: number[]): Promise<SharedGroup[]> {
  if (ids.length === 0 || (await anyShare(db, ids)).length === 0) return []
  return db
    .selectFrom('group_shares')
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.group_id')
    .select((share) => [
      share.ref('group_shares.project_id').$notNull().as('project_id'),
      'group_shares.group_id',
      'namespaces.name as group_name',
      'group_shares.access_level as group_access_level',
      'group_shares.expires_at',
    ])
    .where('group_shares.project_id', 'in', ids)
    .where(notExpired(today(), 'group_shares'))
    .where(groupsVisibleTo(viewer))
    .orderBy('group_shares.id')
    .execute()
}

/** The projects among these that the viewer can see. */
export async function visibleProjects(db: Db, viewer: Viewer, ids: number[]): Promise<LocatedProject[]> {
  if (ids.length === 0) return []
  return locatedProjects(db).where(projectsVisibleTo(viewer)).where('projects.id', 'in', ids).execute()
}

/** The users of a project: members of it, of its namespace and of groups they are shared with, and the owner of its namespace. */
export function listUsersOf(
  db: Db,
  viewer: Viewer,
  { id, namespace_id, namespace_owner_id }: LocatedProject,
  search: UserSearch,
  page: PageOf,
): Promise<{ rows: UserInBrief[]; total: number }> {
  let query = db
    .selectFrom('users')
    .select(['users.id', 'users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
    .where((eb) =>
      eb.or([
        eb('users.id', '=', namespace_owner_id ?? 0),
        eb('users.id', 'in', membersOf(eb).where('members.project_id', '=', id)),
        eb('users.id', 'in', membersOf(eb).where('members.namespace_id', 'in', above(eb).where('namespace_id', '=', namespace_id))),
        eb(
          'users.id',
          'in',
          membersOf(eb).where(
            'members.namespace_id',
            'in',
            above(eb).where('namespace_id', 'in', sharing(eb, viewer, { id, namespace_id })),
          ),
        ),
      ]),
    )
  const { words, actor } = search
  if (words) query = query.where((eb) => isFoundBy(eb, words, actor))
  return paginate(query.orderBy('users.id'), page)
}

type InUsers = ExpressionBuilder<Tables, 'users'>

const membersOf = (eb: InUsers) => eb.selectFrom('members').select('members.user_id').where(notExpired())

const above = (eb: InUsers) => eb.selectFrom('namespace_ancestors').select('ancestor_id')

/** Members of a group are hidden from users who can't see the group, even if the project is public. */
const sharing = (eb: InUsers, viewer: Viewer, { id, namespace_id }: Pick<LocatedProject, 'id' | 'namespace_id'>) =>
  eb
    .selectFrom('group_shares')
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.group_id')
    .select('group_shares.group_id')
    .where(groupsVisibleTo(viewer))
    .where((share) =>
      share.or([
        share('group_shares.project_id', '=', id),
        share('group_shares.namespace_id', 'in', above(eb).where('namespace_id', '=', namespace_id)),
      ]),
    )
    .where(notExpired(today(), 'group_shares'))
