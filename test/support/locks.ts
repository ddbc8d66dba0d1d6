/** For tests of transactions that wait for each other, on PostgreSQL. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '../../src/db/database.ts'

export interface Gate {
  open: () => void
  isOpen: Promise<void>
}

/** `isOpen` resolves when `open` is called. */
export function gate(): Gate {
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), isOpen }
}

/** Waits until a transaction in this database waits for another one. Locks in databases of other tests in the cluster don't count. */
export async function untilOneWaits(db: Db): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await waiting.execute(db)).rows.length).toBeGreaterThan(0)
}
