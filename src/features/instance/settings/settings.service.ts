/** The current settings of the instance. */
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { deleteRow, madeAt, storedRows, writeRow } from './settings.queries.ts'
import { settingsTable } from './settings.table.ts'

export type SettingName = keyof typeof settingsTable

/** `settings.table.ts` describes each. */
export type Settings = { -readonly [Name in SettingName]: Static<(typeof settingsTable)[Name]['schema']> }

export const defaults = Object.fromEntries(Object.entries(settingsTable).map(([name, { fallback }]) => [name, fallback])) as Settings

/** All settings as they are now. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await storedRows(db)
  const known = rows.filter(({ name }) => name in settingsTable)
  return { ...defaults, ...Object.fromEntries(known.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** When settings were first stored, and when one was last changed. */
export async function readDates(db: Db): Promise<{ created_at: string; updated_at: string }> {
  const created_at = await madeAt(db)
  const updated = (await storedRows(db)).find(({ name }) => name === 'updated_at')
  return { created_at, updated_at: updated ? (JSON.parse(updated.value) as string) : created_at }
}

/** Marks the settings as changed and locks them until the transaction ends, so that a validated combination can't change. */
export async function lockSettings(tx: Db): Promise<void> {
  await writeRow(tx, 'updated_at', now())
}

/** Sets the given ones and keeps the others. */
export async function writeSettings(db: Db, change: Partial<Settings>): Promise<void> {
  for (const [name, value] of Object.entries(change)) await writeRow(db, name, value)
  if (change.enforce_terms !== undefined || change.terms !== undefined) await noteTerms(db)
}

/** The name of the digest of the enforced terms, which every request reads (`access/terms.ts`). */
const termsInForce = 'terms_in_force'

async function noteTerms(db: Db): Promise<void> {
  const { enforce_terms, terms } = await readSettings(db)
  if (enforce_terms && terms !== null) await writeRow(db, termsInForce, digestOfTerms(terms))
  else await deleteRow(db, termsInForce)
}

/** Identifies the terms that a user accepted. */
export function digestOfTerms(terms: string): string {
  return hash('sha256', terms)
}

/** Whether the user has accepted the terms, as far as that is required. */
export function termsAccepted(
  { enforce_terms, terms }: Settings,
  { accepted_terms, kind }: Pick<User, 'accepted_terms' | 'kind'>,
): boolean {
  return !enforce_terms || kind !== 'human' || terms === null || accepted_terms === digestOfTerms(terms)
}

/**
 * The header with the polling interval for clients: the given milliseconds times the setting `polling_interval_multiplier`; -1 disables
 * polling.
 */
export async function pollHeaders(db: Db, interval_ms: number): Promise<{ 'poll-interval': string }> {
  const { polling_interval_multiplier: multiplier } = await readSettings(db)
  return { 'poll-interval': String(multiplier === 0 ? -1 : Math.floor(interval_ms * multiplier)) }
}
