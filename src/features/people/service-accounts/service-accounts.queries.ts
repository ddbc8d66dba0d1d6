/** SQL for service accounts. */
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'

export type Place = { project_id: number } | { namespace_id: number }

/** Whose service account: of a project, of a group, or of the instance (null). */
export type Owner = Place | null

export interface AccountOrder {
  order_by: 'id' | 'username'
  sort: 'asc' | 'desc'
}

export async function insertServiceAccount(db: Db, user_id: number, owner: Owner): Promise<void> {
  await db
    .insertInto('service_accounts')
    .values({ user_id, namespace_id: null, project_id: null, ...owner, created_at: now() })
    .execute()
}

function accountsOf(db: Db, owner: Owner) {
  const accounts = db.selectFrom('users').innerJoin('service_accounts', 'service_accounts.user_id', 'users.id').selectAll('users')
  const [namespace_id, project_id] =
    owner === null ? [null, null] : 'project_id' in owner ? [null, owner.project_id] : [owner.namespace_id, null]
  return accounts
    .where('service_accounts.namespace_id', namespace_id === null ? 'is' : '=', namespace_id)
    .where('service_accounts.project_id', project_id === null ? 'is' : '=', project_id)
}

export function listServiceAccounts(
  db: Db,
  owner: Owner,
  { order_by, sort }: AccountOrder,
  page: PageOf,
): Promise<{ rows: User[]; total: number }> {
  return paginate(accountsOf(db, owner).orderBy(`users.${order_by}`, sort), page)
}

/** Null where it is none of theirs. */
export async function serviceAccountOf(db: Db, owner: Owner, id: number): Promise<User | null> {
  return (await accountsOf(db, owner).where('users.id', '=', id).executeTakeFirst()) ?? null
}

/** Whether a service account of a project or group may be a member there: of itself, or of what is below it. */
export async function mayJoin(db: Db, user_id: number, place: Place): Promise<boolean> {
  const account = await db.selectFrom('service_accounts').selectAll().where('user_id', '=', user_id).executeTakeFirst()
  if (!account) return false
  if (account.project_id !== null) return 'project_id' in place && place.project_id === account.project_id
  if (account.namespace_id === null) return true
  const within = db
    .selectFrom('namespace_ancestors')
    .select('namespace_ancestors.namespace_id')
    .where('ancestor_id', '=', account.namespace_id)
  const found =
    'namespace_id' in place
      ? within.where('namespace_ancestors.namespace_id', '=', place.namespace_id)
      : within.where('namespace_ancestors.namespace_id', '=', (eb) =>
          eb.selectFrom('projects').select('projects.namespace_id').where('projects.id', '=', place.project_id),
        )
  return (await found.executeTakeFirst()) !== undefined
}
