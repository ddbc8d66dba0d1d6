/** Changing the settings of the instance: what can't stand together, and what follows. */
import type { Kysely } from 'kysely'
import { findGroup } from '../../access/find.ts'
import { inTransaction } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { badParameter, Failure } from '../../failure.ts'
import { refuseWith } from '../complaints.ts'
import { rewriteAuthorizedKeys } from '../keys/keys.service.ts'
import type { Setting } from './settings.schema.ts'
import { holdSettings, readSettings, type SettingName, type Settings, writeSettings } from './settings.service.ts'
import { settingsTable } from './settings.table.ts'

export type Change = { [Name in SettingName]?: Settings[Name] | undefined }

const table = Object.entries(settingsTable) as Array<[SettingName, Setting]>

/** Sets what is given, leaves the others, and gives back all. Throws 400 when they can't stand together. */
export async function changeSettings(db: Kysely<Tables>, sent: Change): Promise<Settings> {
  const change = tidied(sent)
  refuseIncomplete(sent)
  return inTransaction(db, async (tx) => {
    if (Object.keys(change).length > 0) await holdSettings(tx)
    const changed = { ...(await readSettings(tx)), ...change }
    refuseWith({ ...complaintsOfValues(change), ...complaintsOfBlanks(changed), ...complaintsOfOrder(changed) })
    await writeSettings(tx, change)
    if (concernsKeys(change)) await rewriteAuthorizedKeys(tx)
    return changed
  })
}

/** What was sent, in the form in which it is kept. */
function tidied({ domain_blacklist, domain_whitelist, terms, ...rest }: Change): Partial<Settings> {
  const given = {
    ...rest,
    domain_blacklist: domain_blacklist && domainsOf(domain_blacklist),
    domain_whitelist: domain_whitelist && domainsOf(domain_whitelist),
    // Terms that were there once are not taken back by sending none.
    terms: terms?.trim() || undefined,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** Domains may come one by one or in one text. */
function domainsOf(sent: string[]): string[] {
  return sent.flatMap((part) => part.split(/[\s,;]+/)).filter((domain) => domain !== '')
}

/** What is turned on must come with what it needs. */
function refuseIncomplete(sent: Change): void {
  const missing = table.flatMap(([name, { requires, sent: needed }]) =>
    sent[name] === true && needed ? requires.filter((other) => sent[other as SettingName] === undefined) : [],
  )
  if (missing.length > 0) throw badParameter(missing.map((name) => `${name} is missing`).join(', '))
}

function complaintsOfValues(change: Partial<Settings>): Record<string, string | null> {
  const said = table.map(([name, { complain }]) => {
    const value = change[name]
    return [name, complain && typeof value === 'string' && value !== '' ? complain(value) : null] as const
  })
  const { repository_storages: storages } = change
  return { ...Object.fromEntries(said), repository_storages: storages?.length === 0 ? "can't be blank" : null }
}

/** What is on must have what it needs, whoever set it and when. */
function complaintsOfBlanks(settings: Settings): Record<string, string> {
  const empty = (name: string) => {
    const value = settings[name as SettingName]
    return value === null || value === '' || (Array.isArray(value) && value.length === 0)
  }
  return Object.fromEntries(
    table.flatMap(([name, { requires, blank }]) =>
      blank !== null && settings[name] === true ? requires.filter(empty).map((other) => [other, blank]) : [],
    ),
  )
}

/** What is done more thoroughly is done less often, and what is quick has the least time. */
function complaintsOfOrder(settings: Settings): Record<string, string | null> {
  const { housekeeping_incremental_repack_period: incremental, housekeeping_gc_period: gc } = settings
  const full = settings.housekeeping_full_repack_period
  const least = (value: number | null, bound: number | null) =>
    value !== null && bound !== null && value < bound ? `must be greater than or equal to ${bound}` : null
  const most = (value: number, bound: number) => (value > bound ? `must be less than or equal to ${bound}` : null)
  const { storage_timeout_default: usual, storage_timeout_fast: fast, storage_timeout_medium: medium } = settings
  return {
    housekeeping_full_repack_period: least(full, incremental),
    housekeeping_gc_period: least(gc, full ?? incremental),
    storage_timeout_fast: most(fast, usual),
    storage_timeout_medium: most(medium, usual) ?? least(medium, fast),
  }
}

/** Whether the keys that may be used, or where they are written, can be others now. */
function concernsKeys(change: Partial<Settings>): boolean {
  return Object.keys(change).some((name) => /^authorized_keys_enabled$|_key_restriction$/.test(name))
}

/** The id of the group with this path; null when there is none. */
export async function groupNamed(db: Kysely<Tables>, path: string): Promise<number | null> {
  try {
    return (await findGroup(db, path, { id: 0, admin: true, external: false })).group.id
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}
