/** The database of a server that was killed: read from outside, once the restarted server has settled what the kill left. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { openDatabase } from '../../../src/db/database.ts'
import type { Tables } from '../../../src/db/tables.ts'

export async function query<T>(home: string, read: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const db = openDatabase(join(home, 'gitstead.sqlite'))
  try {
    return await read(db)
  } finally {
    await db.destroy()
  }
}

/** Waits until the restarted server has looked through its journal, and has no job of these names left but dead ones. */
export async function settled(home: string, jobs: string[] = []): Promise<void> {
  for (;;) {
    const open = await query(home, async (db) => [
      ...(await db.selectFrom('push_intents').select('id').execute()),
      ...(jobs.length === 0
        ? []
        : await db.selectFrom('jobs').select('id').where('name', 'in', jobs).where('state', '!=', 'dead').execute()),
    ])
    if (open.length === 0) return
    await setTimeout(100)
  }
}
