/** Settings of the whole instance (spec 2.21): those that have effect so far, and their defaults. */
import type { Db } from '../../db/database.ts'
import { prepared } from '../../db/prepared.ts'

export interface Settings {
  /** Whether the keys are also written to a file, for an SSH server of the machine. */
  authorized_keys_enabled: boolean
  /** 0: a new default branch is not protected. 1: developers may push to it. 2: they may not. 3: they may merge into it. */
  default_branch_protection: 0 | 1 | 2 | 3
  /** The only road git may come by; null for both. */
  enabled_git_access_protocol: 'ssh' | 'http' | null
  /** Least size of a key in bits, by its family: 0 for any, -1 for none at all. */
  rsa_key_restriction: number
  dsa_key_restriction: number
  ecdsa_key_restriction: number
  ed25519_key_restriction: number
  /** Whether repositories are kept in order after pushes. */
  housekeeping_enabled: boolean
  housekeeping_bitmaps_enabled: boolean
  /** Numbers of pushes; where one is set it counts besides the need. */
  housekeeping_incremental_repack_period: number | null
  housekeeping_full_repack_period: number | null
  housekeeping_gc_period: number | null
}

export const defaults: Settings = {
  authorized_keys_enabled: true,
  default_branch_protection: 2,
  enabled_git_access_protocol: null,
  rsa_key_restriction: 0,
  dsa_key_restriction: 0,
  ecdsa_key_restriction: 0,
  ed25519_key_restriction: 0,
  housekeeping_enabled: true,
  housekeeping_bitmaps_enabled: true,
  housekeeping_incremental_repack_period: null,
  housekeeping_full_repack_period: null,
  housekeeping_gc_period: null,
}

const stored = prepared((db: Db) => db.selectFrom('settings').selectAll())

/** All settings as they are now. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await stored(db)
  return { ...defaults, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** Sets what is given and leaves the others. */
export async function writeSettings(db: Db, change: Partial<Settings>): Promise<void> {
  for (const [name, value] of Object.entries(change)) {
    const row = { name, value: JSON.stringify(value) }
    await db
      .insertInto('settings')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute()
  }
}
