/** Changes the settings of the instance: which must be sent together, and what follows. */
import type { Kysely } from 'kysely'
import { findGroup } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { badParameter, nullIfMissing } from '../../../failure.ts'
import { assertValid, withoutUndefined } from '../../../validation.ts'
import { fieldErrorsOf } from './settings.consistency.ts'
import type { Setting } from './settings.schema.ts'
import { lockSettings, readSettings, type SettingName, type Settings, writeSettings } from './settings.service.ts'
import { settingsTable } from './settings.table.ts'
import { loadThrottles } from './throttles.service.ts'

export type Change = { [Name in SettingName]?: Settings[Name] | undefined }

const table = Object.entries(settingsTable) as Array<[SettingName, Setting]>

/** Sets the given ones, keeps the others, and returns all. Throws 400 if they contradict each other. */
export async function changeSettings(db: Kysely<Tables>, sent: Change): Promise<Settings> {
  const change = tidied(sent)
  assertComplete(sent)
  return inTransaction(db, async (tx) => {
    if (Object.keys(change).length > 0) await lockSettings(tx)
    const before = await readSettings(tx)
    const changed = { ...before, ...change }
    assertValid(fieldErrorsOf(change, changed))
    await writeSettings(tx, change)
    const names = Object.keys(change) as SettingName[]
    const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(changed[name]))
    await publish(tx, { type: 'settings_changed', names, changed: differing })
    return changed
  })
}

/** As `changeSettings`; rate limits change at once in this process, and within a second in others. */
export async function saveSettings(app: App, sent: Change): Promise<Settings> {
  const changed = await changeSettings(app.db, sent)
  await loadThrottles(app)
  return changed
}

/** The sent values in the stored form. */
function tidied({ domain_blacklist, domain_whitelist, terms, ...rest }: Change): Partial<Settings> {
  const given = {
    ...rest,
    domain_blacklist: domain_blacklist && domainsOf(domain_blacklist),
    domain_whitelist: domain_whitelist && domainsOf(domain_whitelist),
    // Sending no terms doesn't remove existing ones.
    terms: terms?.trim() || undefined,
  }
  return withoutUndefined(given)
}

/** Domains may be sent as a list or as one text. */
function domainsOf(sent: string[]): string[] {
  return sent.flatMap((part) => part.split(/[\s,;]+/)).filter((domain) => domain !== '')
}

/** A setting that is turned on must be sent with those that it requires. */
function assertComplete(sent: Change): void {
  const missing = table.flatMap(([name, { requires, sent: needed }]) =>
    sent[name] === true && needed ? requires.filter((other) => sent[other as SettingName] === undefined) : [],
  )
  if (missing.length > 0) throw badParameter(missing.map((name) => `${name} is missing`).join(', '))
}

/** The id of the group with this path; null if there is none. */
export async function groupNamed(db: Kysely<Tables>, path: string): Promise<number | null> {
  const found = await findGroup(db, path, everything).catch(nullIfMissing)
  return found?.group.id ?? null
}
