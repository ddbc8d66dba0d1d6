/** Public keys and whose they are. */
import type { Db } from '../../db/database.ts'
import { prepared } from '../../db/prepared.ts'
import type { SshKey, User } from '../../db/tables.ts'

const byFingerprint = prepared((db: Db, sha256: string) => db.selectFrom('ssh_keys').selectAll().where('fingerprint_sha256', '=', sha256))
const userOf = prepared((db: Db, id: number) => db.selectFrom('users').selectAll().where('id', '=', id))

/** A key with its user: whose it is, or who made it. Null where no such key is known. */
export async function keyByFingerprint(db: Db, sha256: string): Promise<{ row: SshKey; user: User | null } | null> {
  const [row] = await byFingerprint(db, sha256)
  if (!row) return null
  const id = row.user_id ?? row.creator_id
  const [user] = id === null ? [] : await userOf(db, id)
  return { row, user: user ?? null }
}

export async function setLastUsed(db: Db, id: number, at: string): Promise<void> {
  await db.updateTable('ssh_keys').set({ last_used_at: at }).where('id', '=', id).execute()
}
