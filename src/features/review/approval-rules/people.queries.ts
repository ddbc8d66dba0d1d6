/** SQL for the people and groups that rules of approval name. */
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import { levelsInProject } from '../../../access/readers.ts'
import { mayAct } from '../../../access/states.ts'
import { groupsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { MergeRequest, Namespace } from '../../../db/tables.ts'
import type { Approver } from './approval-state.ts'

/** The target project, as far as levels in it depend on it. */
export type ApprovedProject = Pick<LocatedProject, 'id' | 'namespace_id' | 'namespace_owner_id'>

/** The direct members of each of the groups, without those whose membership has ended. */
export async function membersOfGroups(db: Db, groupIds: readonly number[]): Promise<Map<number, number[]>> {
  const members = new Map<number, number[]>()
  if (groupIds.length === 0) return members
  const found = await db
    .selectFrom('members')
    .select(['namespace_id', 'user_id'])
    .where(among(db, 'namespace_id', groupIds))
    .where(notExpired())
    .orderBy('user_id')
    .execute()
  for (const { namespace_id, user_id } of found) {
    if (namespace_id === null) continue
    const list = members.get(namespace_id) ?? []
    members.set(namespace_id, list)
    list.push(user_id)
  }
  return members
}

/** Engines limit the values of a statement. */
const usersAtOnce = 1_000

/** The given users who may act, with their levels in the project. Two statements per thousand. */
export async function approversAmong(db: Db, project: ApprovedProject, userIds: readonly number[]): Promise<Map<number, Approver>> {
  const people = new Map<number, Approver>()
  for (let at = 0; at < userIds.length; at += usersAtOnce) {
    const some = userIds.slice(at, at + usersAtOnce)
    const users = await db.selectFrom('users').select(['id', 'admin', 'external', 'state']).where('id', 'in', some).execute()
    const levels = await levelsInProject(db, project, users)
    for (const user of users) people.set(user.id, { mayAct: mayAct(user), level: levels.get(user.id) ?? 0 })
  }
  return people
}

export type NamedGroup = Pick<Namespace, 'id' | 'name' | 'path' | 'description' | 'visibility' | 'avatar_name' | 'parent_id'> & {
  full_path: string
}

/** The given groups that the viewer can see. One statement. */
export function visibleGroups(db: Db, viewer: Viewer, ids: readonly number[]): Promise<NamedGroup[]> {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'namespaces.name', 'namespaces.path', 'namespaces.description', 'namespaces.visibility'])
    .select(['namespaces.avatar_name', 'namespaces.parent_id', 'routes.path as full_path'])
    .where('namespaces.kind', '=', 'group')
    .where(among(db, 'namespaces.id', ids))
    .where((eb) => groupsVisibleTo(viewer)(eb as never))
    .orderBy('namespaces.id')
    .execute()
}

/** The ids of those of the users who are there, named by id or by username. One statement. */
export async function existingUsers(db: Db, ids: readonly number[], usernames: readonly string[]): Promise<number[]> {
  const keys = usernames.map((name) => name.toLowerCase())
  const found = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb.or([among(db, 'id', ids), among(db, 'username_key', keys)]))
    .orderBy('id')
    .execute()
  return found.map(({ id }) => id)
}

/** Leaves out users who can't act at present, such as blocked ones, as they can approve nowhere. One statement. */
export async function activeAmong(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const found = db
    .selectFrom('users')
    .select(['id', 'state'])
    .where(among(db, 'id', ids))
  return new Set((await found.execute()).filter(mayAct).map(({ id }) => id))
}

/** The users of these names, and the names of no user. One statement. */
export async function usersCalled(db: Db, usernames: readonly string[]): Promise<{ found: number[]; unknown: string[] }> {
  const keys = usernames.map((name) => name.toLowerCase())
  const found = await db
    .selectFrom('users')
    .select(['id', 'username_key'])
    .where(among(db, 'username_key', keys))
    .execute()
  const known = new Set(found.map(({ username_key }) => username_key))
  return { found: found.map(({ id }) => id), unknown: usernames.filter((name) => !known.has(name.toLowerCase())) }
}

/** The users of these names who can read the code of the project, and the names of no such user. Three statements. */
export async function usersNamed(
  db: Db,
  project: ApprovedProject,
  usernames: readonly string[],
): Promise<{ found: number[]; unknown: string[] }> {
  if (usernames.length === 0) return { found: [], unknown: [] }
  const keys = usernames.map((name) => name.toLowerCase())
  const users = await db
    .selectFrom('users')
    .select(['id', 'username_key'])
    .where(among(db, 'username_key', keys))
    .execute()
  const people = await approversAmong(
    db,
    project,
    users.map(({ id }) => id),
  )
  const able = users.filter(({ id }) => (people.get(id)?.level ?? 0) >= accessLevels.reporter)
  const known = new Set(able.map(({ username_key }) => username_key))
  return { found: able.map(({ id }) => id), unknown: usernames.filter((name) => !known.has(name.toLowerCase())) }
}

/** The users to whom the addresses belong, as confirmed by them. One statement. */
export async function ownersOfAddresses(db: Db, addresses: readonly string[]): Promise<number[]> {
  if (addresses.length === 0) return []
  const found = await db
    .selectFrom('emails')
    .select('user_id')
    .distinct()
    .where('confirmed_at', 'is not', null)
    .where(
      among(
        db,
        'email_key',
        addresses.map((one) => one.toLowerCase()),
      ),
    )
    .execute()
  return found.map(({ user_id }) => user_id)
}

/** Users who pushed a commit of this version to its source branch. One statement. */
export async function pushersOf(
  db: Db,
  { source_project_id, source_branch }: Pick<MergeRequest, 'source_project_id' | 'source_branch'>,
  versionId: number,
): Promise<number[]> {
  const commits = db.selectFrom('merge_request_version_commits').select('oid').where('version_id', '=', versionId)
  const found = await db
    .selectFrom('events')
    .select('author_id')
    .distinct()
    .where('project_id', '=', source_project_id)
    .where('ref', '=', `refs/heads/${source_branch}`)
    .where('action', '=', 'pushed')
    .where('after_oid', 'in', commits)
    .execute()
  return found.map(({ author_id }) => author_id)
}
