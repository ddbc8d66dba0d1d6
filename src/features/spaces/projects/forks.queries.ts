/** SQL on a project together with its forks: locking them, and counting them. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { capabilitiesOf } from '../../../db/engine/capabilities.ts'
import { lockProject } from './projects.queries.ts'

/**
 * Locks these projects, what they are forks of, and their forks until the transaction ends. To lock several projects, call this
 * before any of them is locked alone: one order for everybody, so that no two transactions wait for each other.
 */
export async function lockWithForks(tx: Db, ids: number[]): Promise<void> {
  if (!capabilitiesOf(tx).locksRows) return
  const these = sql`any(${ids}::bigint[])`
  await sql`select id from projects
    where id = ${these} or forked_from_id = ${these} or id in (select forked_from_id from projects where id = ${these})
    order by id for update`.execute(tx)
}

/** Counts the forks of a project: part of the transaction that creates or ends one. */
export async function recountForks(tx: Db, source: number): Promise<void> {
  // A count taken before the lock would miss what others commit while it is waited for.
  await lockProject(tx, source)
  await tx
    .updateTable('projects')
    .set((eb) => ({
      forks_count: eb
        .selectFrom('projects as forks')
        .select(eb.fn.countAll<number>().as('count'))
        .where('forks.forked_from_id', '=', source),
    }))
    .where('id', '=', source)
    .execute()
}
