/**
 * Leases of running backups. A backup copies repositories and objects after its snapshot of the database, so jobs that remove files check
 * for a lease first, and wait. The lease of a dead backup expires.
 */
import { randomUUID } from 'node:crypto'
import type { Db } from './database.ts'
import { now } from './instants.ts'

/** Longer than an outage of the database and the skew between two clocks. */
const lease_ms = 10 * 60_000

/** Creates a lease and returns its id. It must be taken before the snapshot. */
export async function beginBackup(db: Db): Promise<string> {
  const id = randomUUID()
  await db.deleteFrom('backups').where('expires_at', '<', now()).execute()
  await db.insertInto('backups').values({ id, expires_at: inAWhile() }).execute()
  return id
}

/** Returns false if the lease had expired; files of the snapshot may then have been removed. */
export async function renewBackup(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('backups')
    .set({ expires_at: inAWhile() })
    .where('id', '=', id)
    .where('expires_at', '>', now())
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function endBackup(db: Db, id: string): Promise<void> {
  await db.deleteFrom('backups').where('id', '=', id).execute()
}

/**
 * Whether a backup prevents the removal of files. Call it after reading that nothing refers to them any more: a later snapshot doesn't
 * refer to them either.
 */
export async function isBackupUnderWay(db: Db): Promise<boolean> {
  const found = await db.selectFrom('backups').select('id').where('expires_at', '>', now()).limit(1).executeTakeFirst()
  return found !== undefined
}

function inAWhile(): string {
  return new Date(Date.now() + lease_ms).toISOString()
}
