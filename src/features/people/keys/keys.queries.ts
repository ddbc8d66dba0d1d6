/** Public keys and whose they are. */
import type { Insertable } from 'kysely'
import { findUser } from '../../../access/users.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { Instant, SshKey, SshKeyTable, User } from '../../../db/tables.ts'

const byFingerprint = prepared((db: Db, sha256: string) => db.selectFrom('ssh_keys').selectAll().where('fingerprint_sha256', '=', sha256))
const byId = prepared((db: Db, id: number) => db.selectFrom('ssh_keys').selectAll().where('id', '=', id))

/** A key with its user: its owner, or its creator. */
export interface OwnedKey {
  row: SshKey
  user: User | null
}

/** Null if there is no such key. */
export async function keyByFingerprint(db: Db, sha256: string): Promise<OwnedKey | null> {
  return withUser(db, await byFingerprint(db, sha256))
}

/** A fingerprint in the form in which it is stored. */
export type Fingerprint = { sha256: string } | { md5: string }

/** Null if there is no such key. Of several with the same MD5 fingerprint, the first. */
export async function keyWithFingerprint(db: Db, fingerprint: Fingerprint): Promise<OwnedKey | null> {
  if ('sha256' in fingerprint) return keyByFingerprint(db, fingerprint.sha256)
  const found = db.selectFrom('ssh_keys').selectAll().where('fingerprint_md5', '=', fingerprint.md5).orderBy('id').limit(1)
  return withUser(db, await found.execute())
}

export async function keyById(db: Db, id: number): Promise<OwnedKey | null> {
  return withUser(db, await byId(db, id))
}

async function withUser(db: Db, [row]: SshKey[]): Promise<OwnedKey | null> {
  if (!row) return null
  const id = row.user_id ?? row.creator_id
  return { row, user: id === null ? null : await findUser(db, String(id)) }
}

export function keysOfUser(db: Db, user_id: number, page: PageOf): Promise<{ rows: SshKey[]; total: number }> {
  return paginate(db.selectFrom('ssh_keys').selectAll().where('user_id', '=', user_id).orderBy('id'), page)
}

export async function keyOfUser(db: Db, user_id: number, id: number): Promise<SshKey | null> {
  const row = await db.selectFrom('ssh_keys').selectAll().where('id', '=', id).where('user_id', '=', user_id).executeTakeFirst()
  return row ?? null
}

/** The next keys by id, of all users. */
export function keysAfter(db: Db, id: number, limit: number): Promise<Array<Pick<SshKey, 'id' | 'type' | 'bits' | 'blob'>>> {
  return db.selectFrom('ssh_keys').select(['id', 'type', 'bits', 'blob']).where('id', '>', id).orderBy('id').limit(limit).execute()
}

export function insertKey(db: Db, row: Insertable<SshKeyTable>): Promise<SshKey> {
  return db.insertInto('ssh_keys').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function deleteKey(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ssh_keys').where('id', '=', id).execute()
}

/** Deletes the keys of a user, and removes them as the creator of deploy keys. */
export async function deleteKeysOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('ssh_keys').where('user_id', '=', userId).execute()
  await db.updateTable('ssh_keys').set({ creator_id: null }).where('creator_id', '=', userId).execute()
}

/** Deletes deploy keys that no project uses any more, unless any project may enable them. */
export async function deleteOrphans(db: Db, which: { sha256: string } | { made_before: Instant }): Promise<void> {
  const orphans = db
    .deleteFrom('ssh_keys')
    .where('kind', '=', 'deploy')
    .where('public', '=', false)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('deploy_key_projects').select('key_id').whereRef('deploy_key_projects.key_id', '=', 'ssh_keys.id'))),
    )
  await ('sha256' in which
    ? orphans.where('fingerprint_sha256', '=', which.sha256)
    : orphans.where('created_at', '<', which.made_before)
  ).execute()
}

export async function setLastUsed(db: Db, id: number, at: string): Promise<void> {
  await db.updateTable('ssh_keys').set({ last_used_at: at }).where('id', '=', id).execute()
}
