/** SQL for projects with what they are forks of, and with their forks: locked together, and counted. */
import { SqliteAdapter, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { lockProject } from './projects.queries.ts'

/**
 * Nobody else changes these projects, what they are forks of, or their forks until the transaction ends. Whoever needs several
 * projects takes them so, before any of them alone: in one order, in which nobody waits for somebody who waits for him.
 */
export async function lockFamilies(tx: Db, ids: number[]): Promise<void> {
  if (tx.getExecutor().adapter instanceof SqliteAdapter) return
  const these = sql`any(${ids}::bigint[])`
  await sql`select id from projects
    where id = ${these} or forked_from_id = ${these} or id in (select forked_from_id from projects where id = ${these})
    order by id for update`.execute(tx)
}

/** Brings the number up to date that is shown of a project's forks: part of the transaction that makes or ends one. */
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
