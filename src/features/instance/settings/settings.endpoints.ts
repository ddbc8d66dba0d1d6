/** Settings of the whole instance (spec 2.21, 4.22). */
import { type Static, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import type { App } from '../../../app.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { isJoined, type OtherName, otherNames, repeated } from './aliases.ts'
import type { Setting } from './settings.schema.ts'
import { readDates, readSettings, type SettingName, type Settings } from './settings.service.ts'
import { settingsTable } from './settings.table.ts'
import { terms } from './terms.endpoints.ts'
import { type Change, groupNamed, saveSettings } from './writes.service.ts'

const table = Object.entries(settingsTable) as Array<[SettingName, Setting]>

const described = table.map(([name, { schema, meaning }]) => [name, { ...schema, description: meaning }])
const properties = Object.fromEntries(described) as unknown as {
  [Name in SettingName]: (typeof settingsTable)[Name]['schema']
}

/** Each setting with an alias, under the alias, with its schema converted by `shape`. */
function underOtherNames(shape: (schema: TSchema, other: OtherName) => TSchema): Record<OtherName, TSchema> {
  const shaped = Object.entries(otherNames).map(([other, name]) => {
    const schema = { ...properties[name], description: `Alias of ${name}` }
    return [other, shape(schema, other as OtherName)]
  })
  return Object.fromEntries(shaped)
}

/** A number, also as text for clients in Go. */
function numberOrText(schema: TSchema): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({ ...schema, type: ['number', 'string'] })
}

const SettingsReply = resource('Settings', {
  id: Type.Literal(1),
  created_at: Instant,
  updated_at: Instant,
  ...properties,
  polling_interval_multiplier: numberOrText(properties.polling_interval_multiplier),
  ...underOtherNames((schema, other) => (isJoined(other) ? nullable(Type.String({ description: 'One domain per line' })) : schema)),
})

/** Clients that can't send null send one of these to allow both protocols. */
const both = ['nil', ''] as const

/** A list may be sent as null: forms can't send an empty list otherwise. */
const writable = (schema: TSchema) => Type.Optional((schema as { type?: unknown }).type === 'array' ? nullable(schema) : schema)

const { performance_bar_allowed_group_id: _, ...written } = properties

const body: TProperties = {
  ...Object.fromEntries(Object.entries(written).map(([name, schema]) => [name, writable(schema)])),
  ...underOtherNames(writable),
  enabled_git_access_protocol: Type.Optional(nullable(oneOf('ssh', 'http', ...both))),
  performance_bar_allowed_group_path: Type.Optional(nullable(Type.String())),
  performance_bar_allowed_group_id: Type.Optional(nullable(Type.String({ description: 'Alias of performance_bar_allowed_group_path' }))),
  performance_bar_enabled: Type.Optional(
    Type.Boolean({ description: 'False has the same effect as an empty performance_bar_allowed_group_path' }),
  ),
}

export const settings = [
  endpoint('GET /application/settings', {
    summary: 'Get the settings of the instance',
    access: administrator(),
    reply: SettingsReply,
    handle: async ({ app, user_agent }) => present(app, await readSettings(app.db), user_agent),
  }),
  endpoint('PUT /application/settings', {
    summary: 'Update the settings of the instance',
    access: administrator(),
    body,
    atLeastOne: Object.keys(body),
    reply: SettingsReply,
    async handle({ app, user_agent, body }) {
      return present(app, await saveSettings(app, await changeOf(app, body)), user_agent)
    },
  }),
  ...terms,
]

/** The change as sent, with aliases resolved. If a setting and its alias are both sent, the setting takes precedence. */
async function changeOf(app: App, sent: Record<string, unknown>): Promise<Change> {
  const change: Record<string, unknown> = {}
  for (const [other, name] of Object.entries(otherNames)) if (sent[other] !== undefined) change[name] = sent[other]
  for (const [name, { fallback }] of table) {
    const value = sent[name]
    if (value !== undefined) change[name] = value
    if (change[name] === null && Array.isArray(fallback)) change[name] = []
  }
  if (both.some((word) => word === change.enabled_git_access_protocol)) change.enabled_git_access_protocol = null
  const { performance_bar_allowed_group_path: path, performance_bar_allowed_group_id: legacy, performance_bar_enabled: shown } = sent
  const group = path === undefined ? legacy : path
  if (group !== undefined) change.performance_bar_allowed_group_id = group === null ? null : await groupNamed(app.db, String(group))
  if (shown === false) change.performance_bar_allowed_group_id = null
  return change as Change
}

/** User agents of clients in Go: the default of its library, and programs that use it. */
const inGo = /^(?:Go-http-client|go-gitlab|client-go|gitlab-client-go|glab)\b|\bterraform-provider-gitlab\b/i

/** Clients in Go can only read the multiplier as text, as instances of the reference send it. */
async function present(app: App, settings: Settings, user_agent: string): Promise<Static<typeof SettingsReply>> {
  const { polling_interval_multiplier: multiplier } = settings
  return {
    id: 1,
    ...(await readDates(app.db)),
    ...settings,
    polling_interval_multiplier: inGo.test(user_agent) ? decimalOf(multiplier) : multiplier,
    ...repeated(settings),
  }
}

/** Formatted as a decimal of the reference, with a fraction. */
function decimalOf(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}
