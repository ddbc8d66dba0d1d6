/** SQL for device codes. */
import type { Insertable } from 'kysely'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { OAuthApplication, OAuthDeviceCode, OAuthDeviceCodeTable } from '../../../db/tables.ts'

export async function insertDeviceCode(db: Db, row: Insertable<OAuthDeviceCodeTable>): Promise<void> {
  await db.insertInto('oauth_device_codes').values(row).execute()
}

export function lockDeviceCode(tx: Tx, digest: string): Promise<OAuthDeviceCode | undefined> {
  return lockedRows(tx, tx.selectFrom('oauth_device_codes').selectAll().where('digest', '=', digest)).executeTakeFirst()
}

export async function setPolled(db: Db, digest: string): Promise<void> {
  await db.updateTable('oauth_device_codes').set({ polled_at: now() }).where('digest', '=', digest).execute()
}

export async function deleteDeviceCode(db: Db, digest: string): Promise<void> {
  await db.deleteFrom('oauth_device_codes').where('digest', '=', digest).execute()
}

/** A device that waits for a user, with its application; null if none has this code. */
export async function waitingDevice(db: Db, user_code: string): Promise<{ device: OAuthDeviceCode; application: OAuthApplication } | null> {
  const device = await db
    .selectFrom('oauth_device_codes')
    .selectAll()
    .where('user_code', '=', user_code)
    .where('grant_id', 'is', null)
    .where('denied', '=', false)
    .where('expires_at', '>', now())
    .executeTakeFirst()
  if (!device) return null
  const application = await db
    .selectFrom('oauth_applications')
    .selectAll()
    .where('id', '=', device.application_id)
    .executeTakeFirstOrThrow()
  return { device, application }
}

/** False if it was already decided. */
export async function decide(db: Db, digest: string, decision: { grant_id: number } | { denied: true }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_device_codes')
    .set(decision)
    .where('digest', '=', digest)
    .where('grant_id', 'is', null)
    .where('denied', '=', false)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
