/** SQL for the owners that a CODEOWNERS file names. */
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import type { Db } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'

export interface NamedOwner {
  user_ids: number[]
  group_ids: number[]
}

/** Users and groups by the words of the file: `@name`, `@@maintainer`, an address. Unknown ones are left out. Three statements. */
export async function namedOwners(db: Db, projectId: number, owners: readonly string[]): Promise<Map<string, NamedOwner>> {
  const paths = owners.filter((owner) => /^@[^@]/.test(owner)).map((owner) => owner.slice(1).toLowerCase())
  const addresses = owners.filter((owner) => !owner.startsWith('@')).map((owner) => owner.toLowerCase())
  const [users, groups, mails, roles] = [
    await usersByName(db, paths),
    await groupsByPath(db, paths),
    await usersByAddress(db, addresses),
    owners.some((owner) => owner.startsWith('@@')) ? await directMembers(db, projectId) : [],
  ]
  return new Map(owners.map((owner) => [owner, ownerOf(owner, { users, groups, mails, roles })]))
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

function groupsByPath(db: Db, keys: string[]): Promise<Found['groups']> {
  return db
    .selectFrom('routes')
    .innerJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['routes.path_key as key', 'namespaces.id'])
    .where('namespaces.kind', '=', 'group')
    .where(among(db, 'routes.path_key', keys))
    .execute()
}

async function usersByAddress(db: Db, keys: string[]): Promise<Found['mails']> {
  if (keys.length === 0) return []
  return db
    .selectFrom('emails')
    .select(['email_key as key', 'user_id as id'])
    .where('confirmed_at', 'is not', null)
    .where(among(db, 'email_key', keys))
    .execute()
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
