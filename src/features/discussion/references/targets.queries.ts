/** SQL for targets of references that a viewer can see. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { milestonesOn } from '../../../access/events.ts'
import { isGroup } from '../../../access/find.ts'
import {
  codeVisibleTo,
  groupsVisibleTo,
  isNotByBanned,
  issuesVisibleTo,
  mergeRequestsVisibleTo,
  projectsVisibleTo,
  snippetsVisibleTo,
  type Viewer,
} from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { Issue, MergeRequest, Snippet } from '../../../db/tables.ts'

/** A project that references name. */
export interface NamedProject {
  id: number
  full_path: string
  namespace_id: number
  path: string
  /** Whether the viewer can read its code. */
  isReadable: boolean
  /** Whether they can use its issues or merge requests, and so its labels and milestones. */
  isPlanned: boolean
  /** Whether they see its merge requests; otherwise short ids of commits that only those contain are hidden. */
  showsMergeRequests: boolean
}

/** Projects that the viewer can see, by lower-case current or former paths: one or two statements. */
export async function projectsByPaths(db: Db, viewer: Viewer, paths: string[]): Promise<Map<string, NamedProject>> {
  const found = new Map<string, NamedProject>()
  if (paths.length === 0) return found
  const current = await namedProjects(db, viewer).select('routes.path_key as asked').where('routes.path_key', 'in', paths).execute()
  for (const row of current) found.set(row.asked, projectOf(row))
  const others = paths.filter((path) => path.includes('/') && !found.has(path))
  if (others.length === 0) return found
  const moved = await namedProjects(db, viewer)
    .innerJoin('redirects', 'redirects.project_id', 'projects.id')
    .select('redirects.path_key as asked')
    .where('redirects.path_key', 'in', others)
    .execute()
  for (const row of moved) found.set(row.asked, projectOf(row))
  return found
}

type NamedRow = Pick<NamedProject, 'id' | 'namespace_id' | 'path' | 'full_path'> & {
  is_readable: number
  is_planned: number
  shows_merge_requests: number
}

function projectOf({ id, namespace_id, path, full_path, is_readable, is_planned, shows_merge_requests }: NamedRow): NamedProject {
  const holds = (condition: number) => Number(condition) === 1
  const seen = { isReadable: holds(is_readable), isPlanned: holds(is_planned), showsMergeRequests: holds(shows_merge_requests) }
  return { id, namespace_id, path, full_path, ...seen }
}

function namedProjects(db: Db, viewer: Viewer) {
  return db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select(['projects.id', 'projects.namespace_id', 'projects.path', 'routes.path as full_path'])
    .select((eb) => eb.case().when(codeVisibleTo(viewer)(eb)).then(1).else(0).end().as('is_readable'))
    .select((eb) => eb.case().when(milestonesOn(viewer)(eb)).then(1).else(0).end().as('is_planned'))
    .select((eb) =>
      eb
        .case()
        .when(mergeRequestsVisibleTo(viewer)(eb as never))
        .then(1)
        .else(0)
        .end()
        .as('shows_merge_requests'),
    )
    .where(projectsVisibleTo(viewer))
}

/** Numbers or titles to look up, keyed by project id. */
export type Wanted<T> = ReadonlyMap<number, ReadonlySet<T>>

export interface NamedIssue {
  id: number
  iid: number
  project_id: number
  title: string
  state: 'opened' | 'closed'
}

export interface NamedMergeRequest {
  id: number
  iid: number
  project_id: number
  title: string
  state: MergeRequest['state']
}

/** @param seen a project whose merge requests the viewer is known to see */
export async function mergeRequestsByNumbers(
  db: Db,
  viewer: Viewer,
  wanted: Wanted<number>,
  seen: number | null,
): Promise<NamedMergeRequest[]> {
  if (wanted.size === 0) return []
  return db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select(['merge_requests.id', 'merge_requests.iid', 'merge_requests.project_id', 'merge_requests.title', 'merge_requests.state'])
    .where((eb) =>
      eb.or([...wanted].map(([id, iids]) => eb.and([eb('merge_requests.project_id', '=', id), eb('merge_requests.iid', 'in', [...iids])]))),
    )
    .where(isNotByBanned('merge_requests.author_id', viewer))
    .where((eb) => (seen !== null && wanted.size === 1 && wanted.has(seen) ? eb.lit(true) : mergeRequestsVisibleTo(viewer)(eb as never)))
    .execute()
}

/** A snippet of a project, with what determines its visibility. */
export type NamedSnippet = Pick<Snippet, 'id' | 'title' | 'author_id' | 'visibility'> & { project_id: number }

/**
 * Snippets of these projects.
 * @param seen a project that the viewer is known to see: all of its snippets are returned, and `canSeeSnippet` decides
 */
export async function snippetsByIds(db: Db, viewer: Viewer, wanted: Wanted<number>, seen: number | null): Promise<NamedSnippet[]> {
  if (wanted.size === 0) return []
  const isAlone = seen !== null && wanted.size === 1 && wanted.has(seen)
  const found = await db
    .selectFrom('snippets')
    .innerJoin('projects', 'projects.id', 'snippets.project_id')
    .select(['snippets.id', 'snippets.project_id', 'snippets.title', 'snippets.author_id', 'snippets.visibility'])
    .where((eb) => eb.or([...wanted].map(([id, ids]) => eb.and([eb('snippets.project_id', '=', id), eb('snippets.id', 'in', [...ids])]))))
    .where(isNotByBanned('snippets.author_id', viewer))
    .where((eb) => (isAlone ? eb.lit(true) : eb.or([eb('projects.id', '=', seen ?? 0), snippetsVisibleTo(viewer)(eb as never)])))
    .execute()
  return found.map((row) => ({ ...row, project_id: row.project_id ?? 0 }))
}

/** Issues of one project, without a check of access. Issues of banned users are for administrators. */
export function issuesOfProject(db: Db, viewer: Viewer, projectId: number, iids: number[]): Promise<Issue[]> {
  const found = db.selectFrom('issues').selectAll().where('project_id', '=', projectId).where('iid', 'in', iids)
  return found.where(isNotByBanned('issues.author_id', viewer)).execute()
}

/** The given issues that are assigned to the user. */
export async function assignedAmong(db: Db, userId: number, issueIds: number[]): Promise<Set<number>> {
  const found = await db
    .selectFrom('issue_assignees')
    .select('issue_id')
    .where('user_id', '=', userId)
    .where('issue_id', 'in', issueIds)
    .execute()
  return new Set(found.map(({ issue_id }) => issue_id))
}

export async function issuesByNumbers(db: Db, viewer: Viewer, wanted: Wanted<number>): Promise<NamedIssue[]> {
  if (wanted.size === 0) return []
  return db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.id', 'issues.iid', 'issues.project_id', 'issues.title', 'issues.state'])
    .where((eb) =>
      eb.or([...wanted].map(([projectId, iids]) => eb.and([eb('issues.project_id', '=', projectId), eb('issues.iid', 'in', [...iids])]))),
    )
    .where(issuesVisibleTo(viewer))
    .execute()
}

/** False if there are none: PostgreSQL has no empty list. */
function isAmong(column: Expression<string> | Expression<number>, values: string[] | number[]): Expression<SqlBool> {
  return values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${column} in (${sql.join(values)})`
}

export interface NamedLabel {
  id: number
  title: string
  color: string
  description: string | null
  /** The project in which it is looked up; the label may belong to a group above. */
  project_id: number
}

/** Labels of these projects and of the groups above them. */
export async function labelsByNames(db: Db, projectIds: number[], titles: string[], ids: number[]): Promise<NamedLabel[]> {
  if (projectIds.length === 0 || titles.length + ids.length === 0) return []
  const columns = ['labels.id', 'labels.title', 'labels.color', 'labels.description', 'projects.id as project_id'] as const
  const own = db
    .selectFrom('projects')
    .innerJoin('labels', 'labels.project_id', 'projects.id')
    .select(columns)
    .where('projects.id', 'in', projectIds)
    .where((eb) => eb.or([isAmong(eb.ref('labels.title'), titles), isAmong(eb.ref('labels.id'), ids)]))
  const inherited = db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .innerJoin('labels', 'labels.namespace_id', 'namespace_ancestors.ancestor_id')
    .select(columns)
    .where('projects.id', 'in', projectIds)
    .where((eb) => eb.or([isAmong(eb.ref('labels.title'), titles), isAmong(eb.ref('labels.id'), ids)]))
  // A project's own label comes last, and so takes precedence.
  return inherited.unionAll(own).execute()
}

export interface NamedMilestone {
  id: number
  iid: number
  title: string
  /** Path of its project or group. */
  place_path: string
  isOfGroup: boolean
  /** The project in which it is looked up. */
  project_id: number
}

/** Milestones of these projects, and by title those of the groups above: numbers of groups are not those of projects. */
export async function milestonesByNames(db: Db, projectIds: number[], titles: string[], iids: number[]): Promise<NamedMilestone[]> {
  if (projectIds.length === 0 || titles.length + iids.length === 0) return []
  const own = db
    .selectFrom('projects')
    .innerJoin('milestones', 'milestones.project_id', 'projects.id')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select(['milestones.id', 'milestones.iid', 'milestones.title', 'routes.path as place_path', 'projects.id as project_id'])
    .select(sql<number>`0`.as('is_of_group'))
    .where('projects.id', 'in', projectIds)
    .where((eb) => eb.or([isAmong(eb.ref('milestones.title'), titles), isAmong(eb.ref('milestones.iid'), iids)]))
  const inherited = db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .innerJoin('milestones', 'milestones.namespace_id', 'namespace_ancestors.ancestor_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_ancestors.ancestor_id')
    .select(['milestones.id', 'milestones.iid', 'milestones.title', 'routes.path as place_path', 'projects.id as project_id'])
    .select(sql<number>`1`.as('is_of_group'))
    .where('projects.id', 'in', projectIds)
    .where('milestones.title', 'in', titles)
  const found = titles.length === 0 ? await own.execute() : await inherited.unionAll(own).execute()
  return found.map(({ is_of_group, ...milestone }) => ({ ...milestone, isOfGroup: Number(is_of_group) === 1 }))
}

export interface NamedUser {
  kind: 'user'
  id: number
  name: string
  username: string
}

export interface NamedGroup {
  kind: 'group'
  id: number
  name: string
  full_path: string
}

/** Users, and groups that the viewer can see, by lower-case path: one statement, and one more if some are groups. */
export async function peopleByPaths(db: Db, viewer: Viewer, paths: string[]): Promise<Map<string, NamedUser | NamedGroup>> {
  const people = new Map<string, NamedUser | NamedGroup>()
  if (paths.length === 0) return people
  const found = await db
    .selectFrom('routes')
    .innerJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .leftJoin('users', 'users.id', 'namespaces.owner_id')
    .select(['routes.path_key', 'routes.path', 'namespaces.id', 'namespaces.name as group_name'])
    .select(['users.id as user_id', 'users.name', 'users.username'])
    .where('routes.path_key', 'in', paths)
    .execute()
  const groups = await visibleGroups(
    db,
    viewer,
    found.filter(({ user_id }) => user_id === null).map(({ id }) => id),
  )
  for (const { path_key, path, id, group_name, user_id, name, username } of found) {
    if (user_id !== null && name !== null && username !== null) people.set(path_key, { kind: 'user', id: user_id, name, username })
    else if (groups.has(id)) people.set(path_key, { kind: 'group', id, name: group_name, full_path: path })
  }
  return people
}

async function visibleGroups(db: Db, viewer: Viewer, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const found = await db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', ids)
    .where(isGroup())
    .where(groupsVisibleTo(viewer))
    .execute()
  return new Set(found.map(({ id }) => id))
}
