/** Loads a project or group and authorizes the caller; invisible ones are 404. */
import { type Compilable, type Expression, type ExpressionBuilder, type InferResult, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { capabilitiesOf } from '../db/engine/capabilities.ts'
import { today } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { Namespace, Project, Tables } from '../db/tables.ts'
import { Failure, notFound } from '../failure.ts'
import { mayUse } from './features.ts'
import { accessLevels, isOpenTo } from './levels.ts'
import { groupsAboveParts, levelByShare, notExpired } from './members.ts'
import { may } from './permissions.ts'
import { holds } from './rule.ts'
import { codeRule } from './rules.ts'
import type { Viewer } from './visible.ts'

/** A project with the paths and names of its namespace. */
export interface LocatedProject extends Project {
  full_path: string
  namespace_name: string
  namespace_path: string
  namespace_kind: 'user' | 'group'
  namespace_full_path: string
  namespace_parent_id: number | null
  namespace_owner_id: number | null
  namespace_avatar_name: string | null
  /** The names of its topics: a JSON array of strings, in any order. */
  tag_list: string
}

export interface ProjectAccess {
  project: LocatedProject
  /** Access level of the caller; 0 if not a member. Administrators have the highest level. */
  level: number
}

export interface LocatedGroup extends Namespace {
  full_path: string
}

export interface GroupAccess {
  group: LocatedGroup
  level: number
}

/** Projects joined with their namespaces and routes: the base of every query for projects. */
export function locatedProjects(db: Db) {
  return db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .innerJoin('routes as namespace_routes', 'namespace_routes.namespace_id', 'projects.namespace_id')
    .selectAll('projects')
    .select([
      'routes.path as full_path',
      'namespaces.name as namespace_name',
      'namespaces.path as namespace_path',
      'namespaces.kind as namespace_kind',
      'namespaces.parent_id as namespace_parent_id',
      'namespaces.owner_id as namespace_owner_id',
      'namespaces.avatar_name as namespace_avatar_name',
      'namespace_routes.path as namespace_full_path',
      topicsOfProject(db).as('tag_list'),
    ])
}

function topicsOfProject(db: Db) {
  const names = capabilitiesOf(db).jsonArray(sql`project_topics.name`)
  return sql<string>`(select ${names} from project_topics where project_topics.project_id = projects.id)`
}

/** Must match the text of the partial index over groups: otherwise SQLite doesn't use it. */
export function isGroup() {
  return sql<boolean>`namespaces.kind = 'group'`
}

export function locatedGroups(db: Db) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .selectAll('namespaces')
    .select('routes.path as full_path')
    .where(isGroup())
}

/**
 * The project with this id or full path and the viewer's access level in it. Throws `404 Project Not Found` if the viewer can't see it,
 * whether or not it exists.
 */
export async function findProject(db: Db, idOrPath: string, viewer: Viewer): Promise<ProjectAccess> {
  const id = asId(idOrPath)
  const [found] =
    id === null
      ? await projectByPath(db, idOrPath.toLowerCase(), viewer?.id ?? 0, today())
      : await projectById(db, id, viewer?.id ?? 0, today())
  if (!found) throw notFound('Project')
  const { project, member_level } = found
  const level = levelOf(viewer, member_level, project.namespace_owner_id)
  if (level === 0 && !isOpenTo(project.visibility, viewer)) throw notFound('Project')
  return { project, level }
}

/**
 * As `findProject`, by a current or former full path of the project. For git and for links in texts; the API accepts current paths only.
 */
export async function findProjectOnceAt(db: Db, path: string, viewer: Viewer): Promise<ProjectAccess> {
  try {
    return await findProject(db, path, viewer)
  } catch (error) {
    // Ids have no redirects.
    if (!(error instanceof Failure && error.code === 'not_found') || asId(path) !== null) throw error
    const moved = await db.selectFrom('redirects').select('project_id').where('path_key', '=', path.toLowerCase()).executeTakeFirst()
    if (!moved) throw error
    return findProject(db, String(moved.project_id), viewer)
  }
}

/** As `findProject`, for groups. Members of anything below a group can see the group, with level 0. */
export async function findGroup(db: Db, idOrPath: string, viewer: Viewer): Promise<GroupAccess> {
  const id = asId(idOrPath)
  const [found] =
    id === null
      ? await groupByPath(db, idOrPath.toLowerCase(), viewer?.id ?? 0, today())
      : await groupById(db, id, viewer?.id ?? 0, today())
  if (!found) throw notFound('Group')
  const { group, member_level, reaches } = found
  const level = levelOf(viewer, member_level, null)
  if (level === 0 && !reaches && !isOpenTo(group.visibility, viewer)) throw notFound('Group')
  return { group, level }
}

/** The access level of a user in a group, whether or not they can see it. */
export async function levelInGroup(db: Db, groupId: number, viewer: Viewer): Promise<number> {
  const [found] = await groupById(db, groupId, viewer?.id ?? 0, today())
  return levelOf(viewer, found?.member_level ?? null, null)
}

const projectById = prepared(
  (db: Db, id: number, userId: number, day: string) => projectWithLevel(db, userId, day).where('projects.id', '=', id),
  projectFound,
)
const projectByPath = prepared(
  (db: Db, pathKey: string, userId: number, day: string) => projectWithLevel(db, userId, day).where('routes.path_key', '=', pathKey),
  projectFound,
)
const groupById = prepared(
  (db: Db, id: number, userId: number, day: string) => groupWithLevel(db, userId, day).where('namespaces.id', '=', id),
  groupFound,
)
const groupByPath = prepared(
  (db: Db, pathKey: string, userId: number, day: string) => groupWithLevel(db, userId, day).where('routes.path_key', '=', pathKey),
  groupFound,
)

function projectFound({ own_level, share_level, group_share_level, ...project }: RowOf<typeof projectWithLevel>) {
  return { project, member_level: Math.max(own_level ?? 0, share_level ?? 0, group_share_level ?? 0) }
}

function groupFound({ own_level, group_share_level, below_count, has_part, ...group }: RowOf<typeof groupWithLevel>) {
  return { group, member_level: Math.max(own_level ?? 0, group_share_level ?? 0), reaches: below_count !== 0 || Boolean(has_part) }
}

type RowOf<Q extends (...args: never[]) => Compilable<unknown>> = InferResult<ReturnType<Q>>[number]

function projectWithLevel(db: Db, userId: number, day: string) {
  return locatedProjects(db).select((eb) => [
    eb
      .selectFrom('group_shares')
      .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'group_shares.group_id')
      .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
      .select(highestByShare().as('level'))
      .whereRef('group_shares.project_id', '=', 'projects.id')
      .where('members.user_id', '=', userId)
      .where(notExpired(day))
      .where(notExpired(day, 'group_shares'))
      .as('share_level'),
    eb
      .selectFrom('members')
      .select((m) => m.fn.max('members.access_level').as('level'))
      .where('members.user_id', '=', userId)
      .where(notExpired(day))
      .where((m) =>
        m.or([
          m('members.project_id', '=', m.ref('projects.id')),
          m(
            'members.namespace_id',
            'in',
            m
              .selectFrom('namespace_ancestors')
              .select('ancestor_id')
              .whereRef('namespace_ancestors.namespace_id', '=', 'projects.namespace_id'),
          ),
        ]),
      )
      .as('own_level'),
    levelByGroupShares(eb, sql.ref('projects.namespace_id'), userId, day).as('group_share_level'),
  ])
}

/** The level in a namespace through shares of it, or of groups above it, with groups of the user. */
function levelByGroupShares(eb: unknown, namespaceId: Expression<number>, userId: number, day: string) {
  return (eb as ExpressionBuilder<Tables, never>)
    .selectFrom('namespace_ancestors as above')
    .innerJoin('group_shares', 'group_shares.namespace_id', 'above.ancestor_id')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'group_shares.group_id')
    .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
    .select(highestByShare().as('level'))
    .where('above.namespace_id', '=', namespaceId)
    .where('members.user_id', '=', userId)
    .where(notExpired(day))
    .where(notExpired(day, 'group_shares'))
}

function highestByShare() {
  return sql<number | null>`max(${levelByShare()})`
}

function groupWithLevel(db: Db, userId: number, day: string) {
  return locatedGroups(db).select((eb) => [
    eb
      .selectFrom('members')
      .select((m) => m.fn.max('members.access_level').as('level'))
      .where('members.user_id', '=', userId)
      .where(notExpired(day))
      .where('members.namespace_id', 'in', (m) =>
        m.selectFrom('namespace_ancestors').select('ancestor_id').whereRef('namespace_ancestors.namespace_id', '=', 'namespaces.id'),
      )
      .as('own_level'),
    levelByGroupShares(eb, sql.ref('namespaces.id'), userId, day).as('group_share_level'),
    eb
      .selectFrom('members')
      .leftJoin('projects as held', 'held.id', 'members.project_id')
      .select((m) => m.fn.countAll<number>().as('count'))
      .where('members.user_id', '=', userId)
      .where(notExpired(day))
      .where((m) => {
        const below = () =>
          m.selectFrom('namespace_ancestors').select('namespace_id').whereRef('namespace_ancestors.ancestor_id', '=', 'namespaces.id')
        return m.or([m('members.namespace_id', 'in', below()), m('held.namespace_id', 'in', below())])
      })
      .$castTo<{ count: number }>()
      .as('below_count'),
    // A set computed once per query, instead of a scan of everything below the group.
    eb('namespaces.id', 'in', groupsAboveParts(eb, userId, day)).as('has_part'),
  ])
}

function levelOf(viewer: Viewer, memberLevel: number | null, ownerId: number | null): number {
  if (!viewer) return 0
  if (viewer.admin || ownerId === viewer.id) return accessLevels.owner
  return memberLevel ?? 0
}

/** Whether someone with this level may read the code: not guests of a private project, nor non-members if the repository is private. */
export function canDownload(access: ProjectAccess, viewer: Viewer): boolean {
  return holds(codeRule, access, viewer, null)
}

/** Whether someone with this level may push. An archived project accepts no pushes. */
export function canPush(access: ProjectAccess): boolean {
  return may('push_code', access.level) && mayUse('repository', access) && !access.project.archived
}

/** The id in a path parameter; null if it is a path. A number too large for the database becomes 0, which is never an id. */
export function asId(text: string): number | null {
  if (text.includes('\0')) return 0
  if (!/^\d+$/.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : 0
}
