/** Reads and changes which notifications a user gets by mail. */
import { requirePerson } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { assertValid } from '../../../validation.ts'
import { addressesOf } from '../../people/users/users.ts'
import { readSetting, type Setting, type Switches, switches, unchosen } from './levels.ts'
import {
  deleteSettingInPlace,
  lockSettingAt,
  type SettingPlace,
  settingAt,
  updateMailOf,
  updateSetting,
} from './notification-settings.queries.ts'

/** Fields that aren't sent are kept. */
export type SettingChange = { level?: Setting['level'] | undefined } & { [name in keyof Switches]?: boolean | undefined }

export async function getSetting(db: Db, user: User, place: SettingPlace): Promise<Setting> {
  const row = await settingAt(db, user.id, place)
  if (row) return readSetting(row)
  return place === 'everywhere' ? unchosen.everywhere : unchosen.place
}

export function changeSetting(app: App, user: User, place: SettingPlace, change: SettingChange): Promise<Setting> {
  requirePerson(user)
  return inTransaction(app.db, (tx) => changeSettingIn(tx, user, place, change))
}

/** As `changeSetting`, with the address that gets the mail. Throws 400 unless it is a confirmed address of the user. */
export function changeGlobalSetting(
  app: App,
  user: User,
  { notification_email, ...change }: SettingChange & { notification_email?: string | undefined },
): Promise<{ setting: Setting; notification_email: string }> {
  requirePerson(user)
  return inTransaction(app.db, async (tx) => {
    const setting = await changeSettingIn(tx, user, 'everywhere', change)
    if (notification_email === undefined) return { setting, notification_email: notificationEmail(user) }
    const wanted = notification_email.trim().toLowerCase()
    const isOwn = (await addressesOf(tx, user.id)).has(wanted)
    assertValid({ notification_email: isOwn ? null : 'is not an email you own' })
    const isPrimary = wanted === user.email_key
    await updateMailOf(tx, user.id, { notification_email: isPrimary ? null : wanted })
    return { setting, notification_email: isPrimary ? user.email : wanted }
  })
}

/** The address that notifications of a user are sent to. */
export function notificationEmail({ notification_email, email }: Pick<User, 'notification_email' | 'email'>): string {
  return notification_email ?? email
}

/** Whether the user is notified of their own actions. */
export function setOwnActivity(app: App, { id }: User, isWanted: boolean): Promise<void> {
  return updateMailOf(app.db, id, { notified_of_own_activity: isWanted })
}

/** Deletes the setting of a project or group, so that the one above applies again. Ignores settings of other users. */
export async function forgetSetting(db: Db, { id }: User, settingId: number): Promise<void> {
  await deleteSettingInPlace(db, id, settingId)
}

async function changeSettingIn(tx: Tx, { id }: User, place: SettingPlace, { level, ...sent }: SettingChange): Promise<Setting> {
  const row = await lockSettingAt(tx, id, place)
  const before = readSetting(row)
  const chosen = Object.fromEntries(switches.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])))
  const after = { level: level ?? before.level, switches: { ...before.switches, ...chosen } }
  await updateSetting(tx, row.id, { level: after.level, switches: JSON.stringify(after.switches) })
  return after
}
