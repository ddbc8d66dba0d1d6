/** SQL for notification settings. */
import type { Updateable } from 'kysely'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { NotificationSetting, UserTable } from '../../../db/tables.ts'
import { unchosen } from './levels.ts'

/** Where a setting holds: in a project, in a group and below it, or everywhere. */
export type SettingPlace = { project_id: number } | { namespace_id: number } | 'everywhere'

export async function settingAt(db: Db, userId: number, place: SettingPlace): Promise<NotificationSetting | null> {
  return (await settingsAt(db, userId, place).executeTakeFirst()) ?? null
}

/** Writes the row of the place if there is none, and locks it until the transaction ends: of two changes none is lost. */
export async function lockSettingAt(tx: Tx, userId: number, place: SettingPlace): Promise<NotificationSetting> {
  const { level } = place === 'everywhere' ? unchosen.everywhere : unchosen.place
  const columns = { project_id: null, namespace_id: null, ...(place === 'everywhere' ? {} : place) }
  await tx
    .insertInto('notification_settings')
    .values({ user_id: userId, ...columns, level, switches: '{}', updated_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return lockedRows(tx, settingsAt(tx, userId, place)).executeTakeFirstOrThrow()
}

export async function updateSetting(tx: Tx, id: number, change: Pick<NotificationSetting, 'level' | 'switches'>): Promise<void> {
  await tx
    .updateTable('notification_settings')
    .set({ ...change, updated_at: now() })
    .where('id', '=', id)
    .execute()
}

export async function updateNotificationEmail(tx: Tx, userId: number, email: Updateable<UserTable>['notification_email']): Promise<void> {
  await tx.updateTable('users').set({ notification_email: email }).where('id', '=', userId).execute()
}

function settingsAt(db: Db, userId: number, place: SettingPlace) {
  const own = db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId)
  if (place === 'everywhere') return own.where('project_id', 'is', null).where('namespace_id', 'is', null)
  return 'project_id' in place ? own.where('project_id', '=', place.project_id) : own.where('namespace_id', '=', place.namespace_id)
}
