/** Notification settings as JSON (spec 2.19). */
import { Type } from 'typebox'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { levels, switches } from './levels.ts'

const ofEach = <T>(value: T) => Object.fromEntries(switches.map((name) => [name, value])) as Record<(typeof switches)[number], T>

const events = Type.Optional(Type.Object(ofEach(Type.Boolean()), { description: 'With the level `custom` only' }))
const level = oneOf(...levels)

export const NotificationSetting = resource('NotificationSetting', { level, events })

export const GlobalNotificationSetting = resource('GlobalNotificationSetting', {
  level,
  events,
  notification_email: nullable(Type.String({ description: 'The address that gets the mail' })),
})

/** Parameters of a change, all optional. */
export const settingParameters = {
  level: Type.Optional(oneOf(...levels)),
  ...ofEach(Type.Optional(Type.Boolean({ description: 'Looked at with the level `custom`' }))),
}
