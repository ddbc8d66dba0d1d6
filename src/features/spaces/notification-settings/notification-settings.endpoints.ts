/** Notification settings of the current user: globally, in a group, in a project (spec 4.19). */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import { onProjectOrGroup, onProjectsAndGroups, type Place } from '../../../http/declare/places.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { allSwitches, type Setting } from './levels.ts'
import type { SettingPlace } from './notification-settings.queries.ts'
import { GlobalNotificationSetting, NotificationSetting, settingParameters } from './notification-settings.schema.ts'
import { changeGlobalSetting, changeSetting, getSetting, notificationEmail } from './notification-settings.service.ts'

const everywhere: Endpoint[] = [
  endpoint('GET /notification_settings', {
    summary: 'Get the global notification settings of the current user',
    access: signedIn(),
    reply: GlobalNotificationSetting,
    handle: async ({ app, user }) => ({
      ...present(await getSetting(app.db, user, 'everywhere')),
      notification_email: notificationEmail(user),
    }),
  }),
  endpoint('PUT /notification_settings', {
    summary: 'Update the global notification settings of the current user',
    access: signedIn(),
    body: {
      ...settingParameters,
      notification_email: Type.Optional(Type.String({ description: 'One of the confirmed addresses of the user' })),
    },
    reply: GlobalNotificationSetting,
    async handle({ app, user, body }) {
      const { setting, notification_email } = await changeGlobalSetting(app, user, body)
      return { ...present(setting), notification_email }
    },
  }),
]

const inPlaces = onProjectsAndGroups((kind) => [
  endpoint(`GET /${kind}s/:id/notification_settings`, {
    summary: `Get the notification settings of the current user for a ${kind}`,
    access: onProjectOrGroup(kind, 'signed-in'),
    reply: NotificationSetting,
    handle: async ({ app, user, place }) => present(await getSetting(app.db, user, whereOf(place))),
  }),
  endpoint(`PUT /${kind}s/:id/notification_settings`, {
    summary: `Update the notification settings of the current user for a ${kind}`,
    access: onProjectOrGroup(kind, 'signed-in'),
    body: settingParameters,
    reply: NotificationSetting,
    handle: async ({ app, user, place, body }) => present(await changeSetting(app, user, whereOf(place), body)),
  }),
])

export const notificationSettings = [...everywhere, ...inPlaces]

function whereOf({ kind, row }: Place): SettingPlace {
  return kind === 'group' ? { namespace_id: row.id } : { project_id: row.id }
}

function present(setting: Setting): Presented<typeof NotificationSetting> {
  return { level: setting.level, ...(setting.level === 'custom' && { events: allSwitches(setting) }) }
}
