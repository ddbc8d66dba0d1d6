/** SQL for notification settings. */
import type { ExpressionBuilder, Updateable } from 'kysely'
import { groupsVisibleTo, projectsVisibleTo } from '../../../access/visible.ts'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { NotificationSetting, Tables, User, UserTable } from '../../../db/tables.ts'
import { unchosen } from './levels.ts'

/** The scope of a setting: a project, a group with everything below, or all of the user's mail. */
export type SettingPlace = { project_id: number } | { namespace_id: number } | 'everywhere'

export async function settingAt(db: Db, userId: number, place: SettingPlace): Promise<NotificationSetting | null> {
  return (await settingsAt(db, userId, place).executeTakeFirst()) ?? null
}

/** Inserts the row of the place if there is none, and locks it until the transaction ends, so that no concurrent change is lost. */
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

export async function updateMailOf(
  db: Db,
  userId: number,
  change: Pick<Updateable<UserTable>, 'notification_email' | 'notified_of_own_activity'>,
): Promise<void> {
  await db.updateTable('users').set(change).where('id', '=', userId).execute()
}

/** Deletes the setting in a project or group, never the global one. */
export async function deleteSettingInPlace(db: Db, userId: number, id: number): Promise<void> {
  const inPlace = db.deleteFrom('notification_settings').where('id', '=', id).where('user_id', '=', userId)
  await inPlace.where((eb) => eb.or([eb('project_id', 'is not', null), eb('namespace_id', 'is not', null)])).execute()
}

export interface ChosenPlace extends Pick<NotificationSetting, 'id' | 'level'> {
  path: string
}

/** Projects and groups that the user can see and has a setting for, ordered by path. */
export function chosenPlaces(db: Db, user: User, limit: number): Promise<ChosenPlace[]> {
  const chosen = db
    .selectFrom('notification_settings')
    .innerJoin('routes', (join) =>
      join.on((eb) =>
        eb.or([
          eb('routes.project_id', '=', eb.ref('notification_settings.project_id')),
          eb('routes.namespace_id', '=', eb.ref('notification_settings.namespace_id')),
        ]),
      ),
    )
  const visible = (eb: ExpressionBuilder<Tables, 'notification_settings'>) =>
    eb.or([
      eb('notification_settings.project_id', 'in', eb.selectFrom('projects').select('projects.id').where(projectsVisibleTo(user))),
      eb('notification_settings.namespace_id', 'in', eb.selectFrom('namespaces').select('namespaces.id').where(groupsVisibleTo(user))),
    ])
  return chosen
    .select(['notification_settings.id', 'notification_settings.level', 'routes.path'])
    .where('notification_settings.user_id', '=', user.id)
    .where('notification_settings.level', '!=', 'global')
    .where(visible)
    .orderBy('routes.path')
    .limit(limit)
    .execute()
}

function settingsAt(db: Db, userId: number, place: SettingPlace) {
  const own = db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId)
  if (place === 'everywhere') return own.where('project_id', 'is', null).where('namespace_id', 'is', null)
  return 'project_id' in place ? own.where('project_id', '=', place.project_id) : own.where('namespace_id', '=', place.namespace_id)
}
