/** The stored settings of an integration: its fields, sealed, and its events. */
import type { App } from '../../../app.ts'
import type { Integration } from '../../../db/tables.ts'
import { type EventFlag, eventFlags, type Kind, type Settings } from '../kinds/kinds.ts'
import type { Hearing } from './services.queries.ts'

const purpose = 'integrations.settings'

export type Flags = Partial<Record<EventFlag, boolean>>

export function sealSettings(app: App, settings: Settings): string {
  return app.secrets.seal(JSON.stringify(settings), purpose)
}

export function settingsOf(app: App, { settings }: Pick<Integration, 'settings'>): Settings {
  return JSON.parse(app.secrets.unseal(settings, purpose)) as Settings
}

/** The settings of an integration that was never set. */
export function defaultSettings({ fields }: Kind): Settings {
  return Object.fromEntries(fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])))
}

export function flagsOf({ events }: Pick<Integration, 'events'>): Flags {
  return JSON.parse(events) as Flags
}

/** Enabled by default. */
export function isHeard(flags: Flags, flag: EventFlag): boolean {
  return flags[flag] ?? true
}

/** The event flags of its row among the hooks: none if it is inactive, or does nothing on an event. */
export function hearingOf({ act, events }: Kind, active: boolean, flags: Flags): Hearing {
  const hears = (flag: EventFlag) => active && act !== undefined && events.includes(flag) && isHeard(flags, flag)
  const hearing: Hearing = Object.fromEntries(eventFlags.map((flag) => [flag, hears(flag)]))
  return { ...hearing, push_events: hears('push_events') || hears('commit_events') }
}
