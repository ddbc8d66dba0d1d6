/** SQL of identities of users at sign-in providers. */
import { type Db, lockedRows } from '../../../db/database.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { UserState } from '../../../db/tables.ts'
import { normalizedName } from '../../../outgoing/identity-providers/distinguished-names.ts'

export interface Identity {
  provider: string
  extern_uid: string
}

/** Providers whose names are distinguished names. */
const isDirectory = (provider: string) => provider.startsWith('ldap')

/** The identity in the normalized form in which it is stored and looked up. */
function normalized({ provider, extern_uid }: Identity): Identity {
  return { provider, extern_uid: isDirectory(provider) ? normalizedName(extern_uid) : extern_uid }
}

/** The identities of many users: one statement. */
export const identitiesOf = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('identities')
    .selectAll()
    .where(among(db, 'user_id', ids))
    .orderBy('provider'),
)

/** The user with this identity; null if there is none. Compared exactly, except for distinguished names. */
export async function userOfIdentity(db: Db, identity: Identity): Promise<number | null> {
  const { provider, extern_uid } = normalized(identity)
  const row = await db
    .selectFrom('identities')
    .select('user_id')
    .where('provider', '=', provider)
    .where('extern_uid', '=', extern_uid)
    .executeTakeFirst()
  return row?.user_id ?? null
}

export async function insertIdentity(db: Db, user_id: number, identity: Identity): Promise<void> {
  await db
    .insertInto('identities')
    .values({ user_id, ...normalized(identity) })
    .execute()
}

/** The one identity a user has with a provider. */
export async function replaceIdentity(db: Db, user_id: number, identity: Identity): Promise<void> {
  await deleteIdentity(db, user_id, identity.provider)
  await insertIdentity(db, user_id, identity)
}

/** False if the user had none with this provider. */
export async function deleteIdentity(db: Db, user_id: number, provider: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identities')
    .where('user_id', '=', user_id)
    .where('provider', '=', provider)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Whether a directory has blocked the user, because it no longer has them or has disabled them. */
export async function isBlockedByDirectory(db: Db, user_id: number): Promise<boolean> {
  const blocking = db.selectFrom('identities').select('provider').where('user_id', '=', user_id).where('blocks', '=', true)
  return (await blocking.executeTakeFirst()) !== undefined
}

export async function setBlocks(db: Db, identity: Identity, blocks: boolean): Promise<void> {
  const { provider, extern_uid } = normalized(identity)
  await db.updateTable('identities').set({ blocks }).where('provider', '=', provider).where('extern_uid', '=', extern_uid).execute()
}

/** An identity with the state of its user. */
export interface IdentityState extends Identity {
  user_id: number
  blocks: boolean
  state: UserState
}

/** Identities of one provider, ordered by name, after the given one. */
export function identitiesAt(db: Db, provider: string, after: string, limit: number): Promise<IdentityState[]> {
  return db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select(['identities.provider', 'identities.extern_uid', 'identities.user_id', 'identities.blocks', 'users.state'])
    .where('identities.provider', '=', provider)
    .where('identities.extern_uid', '>', after)
    .orderBy('identities.extern_uid')
    .limit(limit)
    .execute()
}

/** Whether the identity blocks its user; locked until the transaction ends. False if it was deleted. */
export async function lockIdentity(db: Db, identity: Identity): Promise<{ blocks: boolean }> {
  const { provider, extern_uid } = normalized(identity)
  const query = db.selectFrom('identities').select('blocks').where('provider', '=', provider).where('extern_uid', '=', extern_uid)
  return (await lockedRows(db, query).executeTakeFirst()) ?? { blocks: false }
}
