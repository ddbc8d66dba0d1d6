/** SQL for the owners that a CODEOWNERS file names. */
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import { peopleOfAddresses } from '../../../access/readers.ts'
import type { Db } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import { among } from '../../../db/prepared-queries.ts'
import { type ApprovedProject, membersOfGroups } from './people.queries.ts'

export interface NamedOwner {
  user_ids: number[]
  group_ids: number[]
}

/**
 * Users and groups by the words of the file: `@name`, `@@maintainer`, an address. Unknown ones are left out, and so are groups that neither the
 * project is in nor shares with: whoever writes the file could ask who is in any group. Five statements.
 */
export async function namedOwners(db: Db, project: ApprovedProject, owners: readonly string[]): Promise<Map<string, NamedOwner>> {
  const paths = owners.filter((owner) => /^@[^@]/.test(owner)).map((owner) => owner.slice(1).toLowerCase())
  const addresses = owners.filter((owner) => !owner.startsWith('@')).map((owner) => owner.toLowerCase())
  const [users, groups, mails, roles] = [
    await usersByName(db, paths),
    await groupsByPath(db, project, paths),
    await usersByAddress(db, project, addresses),
    owners.some((owner) => owner.startsWith('@@')) ? await directMembers(db, project.id) : [],
  ]
  return new Map(owners.map((owner) => [owner, ownerOf(owner, { users, groups, mails, roles })]))
}

/** All users whom these words name, themselves or by groups. Six statements. */
export async function usersOwning(db: Db, project: ApprovedProject, owners: readonly string[]): Promise<number[]> {
  const named = [...(await namedOwners(db, project, owners)).values()]
  const members = await membersOfGroups(db, [...new Set(named.flatMap(({ group_ids }) => group_ids))])
  return [...new Set([...named.flatMap(({ user_ids }) => user_ids), ...[...members.values()].flat()])]
}

interface Found {
  users: Array<{ key: string; id: number }>
  groups: Array<{ key: string; id: number }>
  mails: Array<{ key: string; id: number }>
  roles: Array<{ id: number; access_level: number }>
}

function ownerOf(owner: string, { users, groups, mails, roles }: Found): NamedOwner {
  if (owner.startsWith('@@')) {
    const level = accessLevels[owner.slice(2).replace(/s$/, '') as 'developer' | 'maintainer' | 'owner']
    return { user_ids: roles.filter(({ access_level }) => access_level === level).map(({ id }) => id), group_ids: [] }
  }
  const key = owner.replace(/^@/, '').toLowerCase()
  const idsOf = (found: Found['users']) => found.filter((one) => one.key === key).map(({ id }) => id)
  return owner.startsWith('@') ? { user_ids: idsOf(users), group_ids: idsOf(groups) } : { user_ids: idsOf(mails), group_ids: [] }
}

function usersByName(db: Db, keys: string[]): Promise<Found['users']> {
  return db
    .selectFrom('users')
    .select(['username_key as key', 'id'])
    .where(among(db, 'username_key', keys))
    .execute()
}

function groupsByPath(db: Db, { id, namespace_id }: ApprovedProject, keys: string[]): Promise<Found['groups']> {
  const above = db.selectFrom('namespace_ancestors as above').select('above.ancestor_id').where('above.namespace_id', '=', namespace_id)
  const shared = db
    .selectFrom('group_shares')
    .select('group_shares.group_id')
    .where(notExpired(today(), 'group_shares'))
    .where((eb) => eb.or([eb('group_shares.project_id', '=', id), eb('group_shares.namespace_id', 'in', above)]))
  return db
    .selectFrom('routes')
    .innerJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['routes.path_key as key', 'namespaces.id'])
    .where('namespaces.kind', '=', 'group')
    .where(among(db, 'routes.path_key', keys))
    .where((eb) => eb.or([eb('namespaces.id', 'in', above), eb('namespaces.id', 'in', shared)]))
    .execute()
}

async function usersByAddress(db: Db, project: ApprovedProject, addresses: string[]): Promise<Found['mails']> {
  return Array.from(await peopleOfAddresses(db, project, addresses), ([key, { id }]) => ({ key, id }))
}

/** Roles are of direct members of the project. */
function directMembers(db: Db, projectId: number): Promise<Found['roles']> {
  return db
    .selectFrom('members')
    .select(['user_id as id', 'access_level'])
    .where('project_id', '=', projectId)
    .where(notExpired())
    .execute()
}
