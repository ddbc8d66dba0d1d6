/** Settings of the whole instance (spec 2.21, 4.22). */
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { App } from '../../../app.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { administrator } from '../../../http/rules.ts'
import { Instant, nullable, oneOf, resource } from '../../../http/schema.ts'
import { isJoined, type OtherName, otherNames, repeated } from './aliases.ts'
import { type Change, changeSettings, groupNamed } from './changes.service.ts'
import type { Setting } from './settings.schema.ts'
import { readDates, readSettings, type SettingName, type Settings } from './settings.service.ts'
import { settingsTable } from './settings.table.ts'
import { terms } from './terms.endpoints.ts'

const table = Object.entries(settingsTable) as Array<[SettingName, Setting]>

const described = table.map(([name, { schema, meaning }]) => [name, { ...schema, description: meaning }])
const properties = Object.fromEntries(described) as unknown as {
  [Name in SettingName]: (typeof settingsTable)[Name]['schema']
}

/** What `shape` makes of each setting with another name, under that name. */
function underOtherNames(shape: (schema: TSchema, other: OtherName) => TSchema): Record<OtherName, TSchema> {
  const shaped = Object.entries(otherNames).map(([other, name]) => {
    const schema = { ...properties[name], description: `Another name of ${name}` }
    return [other, shape(schema, other as OtherName)]
  })
  return Object.fromEntries(shaped)
}

const SettingsReply = resource('Settings', {
  id: Type.Literal(1),
  created_at: Instant,
  updated_at: Instant,
  ...properties,
  ...underOtherNames((schema, other) => (isJoined(other) ? nullable(Type.String({ description: 'A domain in each line' })) : schema)),
})

/** Clients that can't send null send one of these words for both protocols. */
const both = ['nil', ''] as const

/** A list that was sent without anything in it is empty; a client of forms has no other word for it. */
const writable = (schema: TSchema) => Type.Optional((schema as { type?: unknown }).type === 'array' ? nullable(schema) : schema)

const { performance_bar_allowed_group_id: _, ...written } = properties

const body: TProperties = {
  ...Object.fromEntries(Object.entries(written).map(([name, schema]) => [name, writable(schema)])),
  ...underOtherNames(writable),
  enabled_git_access_protocol: Type.Optional(nullable(oneOf('ssh', 'http', ...both))),
  performance_bar_allowed_group_path: Type.Optional(nullable(Type.String())),
  performance_bar_allowed_group_id: Type.Optional(nullable(Type.String({ description: 'As performance_bar_allowed_group_path' }))),
  performance_bar_enabled: Type.Optional(Type.Boolean({ description: 'False: as performance_bar_allowed_group_path without a value' })),
}

export const settings = [
  endpoint('GET /application/settings', {
    summary: 'Get the settings of the instance',
    access: administrator(),
    reply: SettingsReply,
    handle: async ({ app }) => present(app, await readSettings(app.db)),
  }),
  endpoint('PUT /application/settings', {
    summary: 'Change settings of the instance',
    access: administrator(),
    body,
    atLeastOne: Object.keys(body),
    reply: SettingsReply,
    handle: async ({ app, body }) => present(app, await changeSettings(app.db, await changeOf(app, body))),
  }),
  ...terms,
]

/** What was sent, under the names settings have here. Where both names of one were sent, its own counts. */
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

async function present(app: App, settings: Settings): Promise<Static<typeof SettingsReply>> {
  return { id: 1, ...(await readDates(app.db)), ...settings, ...repeated(settings) }
}
