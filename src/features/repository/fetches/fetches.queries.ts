/** SQL for how often projects are fetched. */
import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { Day, FetchCountTable } from '../../../db/tables.ts'

export type FetchCount = Selectable<FetchCountTable>

/** The days from this one on with fetches, the newest first. */
export async function fetchesSince(db: Db, project_id: number, first: Day): Promise<Pick<FetchCount, 'day' | 'count'>[]> {
  return db
    .selectFrom('fetch_counts')
    .select(['day', 'count'])
    .where('project_id', '=', project_id)
    .where('day', '>=', first)
    .orderBy('day', 'desc')
    .execute()
}

/** Adds these counts: each project and day once, sorted, so that two processes don't wait for each other. */
export async function addFetches(db: Db, counts: FetchCount[]): Promise<void> {
  await db
    .insertInto('fetch_counts')
    .values(counts)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'day']).doUpdateSet((eb) => ({ count: eb('fetch_counts.count', '+', eb.ref('excluded.count')) })),
    )
    .execute()
}

export async function removeFetchesBefore(db: Db, project_ids: readonly number[], first: Day): Promise<void> {
  await db.deleteFrom('fetch_counts').where('project_id', 'in', project_ids).where('day', '<', first).execute()
}

/** Drops the ids of deleted projects, to which no row may refer. */
export async function existingProjects(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.selectFrom('projects').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
