/** Releases the jobs of dead processes without waiting for their leases to expire. */
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { stateOf } from '../program/process-identity.ts'
import { retryDelay_ms } from './retries.ts'

/**
 * Releases the jobs of processes that are known to be dead, and returns their names. The attempt counts, as for an expired lease: a job
 * that kills its process each time becomes dead. The first time it is due at once, then with backoff, as after failures. Processes on other
 * machines can't be checked: their jobs wait for the end of the lease.
 */
export async function releaseOrphans(db: Kysely<Tables>): Promise<string[]> {
  const held = await db
    .selectFrom('jobs')
    .select(['id', 'name', 'owner', 'attempts'])
    .where('state', '=', 'ready')
    .where('owner', 'is not', null)
    .execute()
  const dead = new Map<string, boolean>()
  const isDead = (owner: string) => {
    const known = dead.get(owner) ?? stateOf(owner) === 'dead'
    dead.set(owner, known)
    return known
  }
  const released: string[] = []
  for (const { id, name, owner, attempts } of held) {
    if (owner === null || !isDead(owner)) continue
    const run_at = new Date(Date.now() + (attempts <= 1 ? 0 : retryDelay_ms(attempts - 1))).toISOString()
    const { numUpdatedRows } = await db
      .updateTable('jobs')
      .set({ owner: null, run_at })
      .where('id', '=', id)
      // Unless another process has claimed or released it since.
      .where('owner', '=', owner)
      .where('attempts', '=', attempts)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) released.push(name)
  }
  return released
}
