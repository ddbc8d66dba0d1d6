/** Changing the settings of the instance: what can't stand together, and what follows. */
import type { Kysely } from 'kysely'
import { inTransaction } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { badParameter } from '../../failure.ts'
import { refuseWith } from '../complaints.ts'
import { rewriteAuthorizedKeys } from '../keys/keys.service.ts'
import { readSettings, type Settings, writeSettings } from './settings.service.ts'

/** What enabling housekeeping needs said with it. */
const neededByHousekeeping = [
  'housekeeping_bitmaps_enabled',
  'housekeeping_full_repack_period',
  'housekeeping_gc_period',
  'housekeeping_incremental_repack_period',
] as const

type Change = { [Name in keyof Settings]?: Settings[Name] | undefined }

/** Sets what is given, leaves the others, and gives back all. Throws 400 when they can't stand together. */
export async function changeSettings(db: Kysely<Tables>, change: Change): Promise<Settings> {
  if (change.housekeeping_enabled === true) {
    const missing = neededByHousekeeping.filter((name) => change[name] === undefined)
    if (missing.length > 0) throw badParameter(missing.map((name) => `${name} is missing`).join(', '))
  }
  return inTransaction(db, async (tx) => {
    const changed = { ...(await readSettings(tx)), ...withoutUndefined(change) }
    refuseDisorder(changed)
    await writeSettings(tx, withoutUndefined(change))
    if (concernsKeys(change)) await rewriteAuthorizedKeys(tx)
    return changed
  })
}

/** Whether the keys that may be used, or where they are written, can be others now. */
function concernsKeys(change: Change): boolean {
  return Object.keys(withoutUndefined(change)).some((name) => /^authorized_keys_enabled$|_key_restriction$/.test(name))
}

/** What is done more thoroughly is done less often. */
function refuseDisorder(settings: Settings): void {
  const { housekeeping_incremental_repack_period: incremental, housekeeping_gc_period: gc } = settings
  const full = settings.housekeeping_full_repack_period
  const complain = (period: number | null, least: number | null) =>
    period !== null && least !== null && period < least ? `must be greater than or equal to ${least}` : null
  refuseWith({
    housekeeping_full_repack_period: complain(full, incremental),
    housekeeping_gc_period: complain(gc, full ?? incremental),
  })
}

function withoutUndefined(change: Change): Partial<Settings> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
