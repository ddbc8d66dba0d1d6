/** Which of several users can see a thing: the inverse of visible.ts, which determines what one user can see. */
import type { Db } from '../db/database.ts'
import { today } from '../db/instants.ts'
import { among } from '../db/prepared-queries.ts'
import type { Issue, Snippet, User } from '../db/tables.ts'
import { canDownload, type LocatedProject } from './find.ts'
import { canSeeIssue } from './issues.ts'
import { accessLevels, isOpenTo } from './levels.ts'
import { levelByShare, notExpired } from './members.ts'
import { canSeeMergeRequests } from './merge-requests.ts'
import { may } from './permissions.ts'
import { canSeeSnippet } from './snippets.ts'

type Reader = Pick<User, 'id' | 'admin' | 'external'>
type ReadProject = Pick<LocatedProject, 'id' | 'namespace_id' | 'namespace_owner_id'>

/** Returns those of the users who can see the issue, in the given order. At most three statements per thousand users. */
export function readersOfIssue(
  db: Db,
  project: LocatedProject,
  issue: Issue,
  userIds: number[],
  /** Whether it is about an internal note, which is visible from reporter up. */
  { internal = false }: { internal?: boolean } = {},
): Promise<number[]> {
  return readersAmong(db, project, userIds, internal, async (ids) => {
    const assignees = issue.confidential
      ? await db.selectFrom('issue_assignees').select('user_id').where('issue_id', '=', issue.id).where('user_id', 'in', ids).execute()
      : []
    const assigneeIds = assignees.map(({ user_id }) => user_id)
    return (user, level) => canSeeIssue({ project, level }, issue, assigneeIds, user)
  })
}

/**
 * Returns those of the users who can see the merge requests of the project, in the given order. At most two statements per thousand users.
 */
export function readersOfMergeRequests(
  db: Db,
  project: LocatedProject,
  userIds: number[],
  { internal = false }: { internal?: boolean } = {},
): Promise<number[]> {
  return readersAmong(db, project, userIds, internal, async () => (user, level) => canSeeMergeRequests({ project, level }, user))
}

/** Returns those of the users who may read the code of the project, and so see its commits. */
export function readersOfCommits(
  db: Db,
  project: LocatedProject,
  userIds: number[],
  { internal = false }: { internal?: boolean } = {},
): Promise<number[]> {
  return readersAmong(db, project, userIds, internal, async () => (user, level) => canDownload({ project, level }, user))
}

/** Returns those of the users who can see the snippet of the project, by the rule of `canSeeSnippet`. */
export function readersOfSnippet(
  db: Db,
  project: LocatedProject,
  snippet: Snippet,
  userIds: number[],
  { internal = false }: { internal?: boolean } = {},
): Promise<number[]> {
  return readersAmong(db, project, userIds, internal, async () => (user, level) => canSeeSnippet(snippet, { project, level }, user))
}

/** As `readersOfSnippet`, for a snippet without a project, where no membership counts. One statement per thousand users. */
export async function readersOfPersonalSnippet(db: Db, snippet: Snippet, userIds: number[]): Promise<number[]> {
  const ids = [...new Set(userIds)]
  const readers = new Set<number>()
  for (let start = 0; start < ids.length; start += usersAtOnce)
    for (const user of await usersByIds(db, ids.slice(start, start + usersAtOnce)))
      if (canSeeSnippet(snippet, null, user)) readers.add(user.id)
  return ids.filter((id) => readers.has(id))
}

/** Engines limit the values per statement. */
const usersAtOnce = 1_000

function usersByIds(db: Db, ids: number[]): Promise<Reader[]> {
  return db.selectFrom('users').select(['id', 'admin', 'external']).where('id', 'in', ids).execute()
}

type CanSee = (user: Reader, level: number) => boolean

/** @param ruleFor whether one of these users, who can see the project, can see the thing */
async function readersAmong(
  db: Db,
  project: LocatedProject,
  userIds: number[],
  internal: boolean,
  ruleFor: (ids: number[]) => Promise<CanSee>,
): Promise<number[]> {
  const ids = [...new Set(userIds)]
  const readers = new Set<number>()
  for (let start = 0; start < ids.length; start += usersAtOnce) {
    const some = ids.slice(start, start + usersAtOnce)
    const users = await usersByIds(db, some)
    const levels = await levelsInProject(db, project, users)
    const canSee = await ruleFor(some)
    for (const user of users) {
      const level = levels.get(user.id) ?? 0
      const isInside = level > 0 || isOpenTo(project.visibility, user)
      if (isInside && (!internal || may('read_internal_notes', level)) && canSee(user, level)) readers.add(user.id)
    }
  }
  return ids.filter((id) => readers.has(id))
}

/** The access level of each user in the project, as `findProject` computes it for one; users without access are left out. One statement. */
export async function levelsInProject(db: Db, project: ReadProject, users: Reader[]): Promise<Map<number, number>> {
  const levels = new Map<number, number>()
  const raise = (id: number, level: number) => levels.set(id, Math.max(levels.get(id) ?? 0, level))
  for (const { id, admin } of users) if (admin || id === project.namespace_owner_id) raise(id, accessLevels.owner)
  const others = users.flatMap(({ id }) => (levels.has(id) ? [] : [id]))
  if (others.length === 0) return levels
  for (const { user_id, access_level } of await membershipsIn(db, project, others).execute()) raise(user_id, access_level)
  return levels
}

/** A user whom a commit or a file names by an address. */
export type Addressed = Pick<User, 'id' | 'username' | 'state'> & { isMember: boolean }

/**
 * Whom confirmed addresses stand for in a project, by address in lower case: its members, and those who show the address to everybody.
 * Otherwise whoever pushes commits could ask for any address whose it is. Two statements.
 */
export async function peopleOfAddresses(db: Db, project: ReadProject, addresses: readonly string[]): Promise<Map<string, Addressed>> {
  const keys = [...new Set(addresses.map((address) => address.toLowerCase()))]
  if (keys.length === 0) return new Map()
  const found = await db
    .selectFrom('emails')
    .innerJoin('users', 'users.id', 'emails.user_id')
    .select(['emails.email_key', 'users.id', 'users.username', 'users.state', 'users.public_email'])
    .where('emails.confirmed_at', 'is not', null)
    .where(among(db, 'emails.email_key', keys))
    .execute()
  const ids = [...new Set(found.map(({ id }) => id))]
  const members = new Set([project.namespace_owner_id])
  for (let start = 0; start < ids.length; start += 1000)
    for (const { user_id } of await membershipsIn(db, project, ids.slice(start, start + 1000)).execute()) members.add(user_id)
  return new Map(
    found.flatMap(({ email_key, public_email, ...user }) => {
      const isMember = members.has(user.id)
      return isMember || public_email.toLowerCase() === email_key ? [[email_key, { ...user, isMember }]] : []
    }),
  )
}

function membershipsIn(db: Db, { id, namespace_id }: ReadProject, userIds: number[]) {
  const above = db.selectFrom('namespace_ancestors as above').select('above.ancestor_id').where('above.namespace_id', '=', namespace_id)
  return db
    .selectFrom('members')
    .select(['members.user_id', 'members.access_level'])
    .where('members.user_id', 'in', userIds)
    .where(notExpired())
    .where((eb) => eb.or([eb('members.project_id', '=', id), eb('members.namespace_id', 'in', above)]))
    .unionAll(
      db
        .selectFrom('group_shares')
        .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'group_shares.group_id')
        .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
        .select(['members.user_id', levelByShare().as('access_level')])
        .where('members.user_id', 'in', userIds)
        .where(notExpired())
        .where(notExpired(today(), 'group_shares'))
        .where((eb) => eb.or([eb('group_shares.project_id', '=', id), eb('group_shares.namespace_id', 'in', above)])),
    )
}
