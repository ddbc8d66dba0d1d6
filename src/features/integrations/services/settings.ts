/** Stored settings of an integration: its sealed fields, and the events it receives. */
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

/** Settings of one that was never set. */
export function defaultSettings({ fields }: Kind): Settings {
  return Object.fromEntries(fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])))
}

export function flagsOf({ events }: Pick<Integration, 'events'>): Flags {
  return JSON.parse(events) as Flags
}

/** On unless it was turned off. */
export function isHeard(flags: Flags, flag: EventFlag): boolean {
  return flags[flag] ?? true
}

/** The flags of its row in `hooks`: none if it is inactive, or doesn't act on events. */
export function hearingOf({ act, events }: Kind, active: boolean, flags: Flags): Hearing {
  const hears = (flag: EventFlag) => active && act !== undefined && events.includes(flag) && isHeard(flags, flag)
  const hearing: Hearing = Object.fromEntries(eventFlags.map((flag) => [flag, hears(flag)]))
  return { ...hearing, push_events: hears('push_events') || hears('commit_events') }
}
