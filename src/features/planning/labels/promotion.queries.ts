/** SQL for the promotion of project labels to group labels. */
import { sql } from 'kysely'
import { lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Label } from '../../../db/tables.ts'

/** Labels with this title in a group and in its projects, locked until the transaction ends. */
export function labelsToMerge(tx: Tx, namespaceId: number, title: string): Promise<Label[]> {
  const found = tx
    .selectFrom('labels')
    .selectAll()
    .where('title', '=', title)
    .where((eb) =>
      eb.or([
        eb('namespace_id', '=', namespaceId),
        eb('project_id', 'in', eb.selectFrom('projects').select('projects.id').where('projects.namespace_id', '=', namespaceId)),
      ]),
    )
    .orderBy('id')
  return lockedRows(tx, found).execute()
}

/** Replaces these labels by the one label on everything that has one of them, and deletes them. */
export async function mergeLabelsInto(tx: Tx, label_id: number, ids: number[]): Promise<void> {
  const target = sql<number>`${sql.lit(label_id)}`.as('label_id')
  await tx
    .insertInto('issue_labels')
    .columns(['issue_id', 'label_id'])
    .expression((eb) => eb.selectFrom('issue_labels').select(['issue_id', target]).distinct().where('label_id', 'in', ids))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx
    .insertInto('label_priorities')
    .columns(['project_id', 'label_id', 'priority'])
    .expression((eb) =>
      eb
        .selectFrom('label_priorities')
        .select(({ fn }) => ['project_id', target, fn.min('priority').as('priority')])
        .where('label_id', 'in', ids)
        .groupBy('project_id'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx.updateTable('label_events').set({ label_id }).where('label_id', 'in', ids).execute()
  await moveOnce(tx, 'board_lists', label_id, ids)
  await moveOnce(tx, 'subscriptions', label_id, ids)
  await tx.deleteFrom('labels').where('id', 'in', ids).execute()
}

const sameOwner = {
  board_lists: sql<boolean>`same.board_id = board_lists.board_id`,
  subscriptions: sql<boolean>`same.user_id = subscriptions.user_id and coalesce(same.project_id, 0) = coalesce(subscriptions.project_id, 0)`,
}

/** Keeps only the first row per board, or per user and project; the others are deleted with their labels. */
async function moveOnce(tx: Tx, table: 'board_lists' | 'subscriptions', label_id: number, ids: number[]): Promise<void> {
  const all = sql.join([label_id, ...ids].map((id) => sql.lit(id)))
  await sql`update ${sql.table(table)} set label_id = ${sql.lit(label_id)} where label_id in (${sql.join(ids.map((id) => sql.lit(id)))})
    and not exists (select 1 from ${sql.table(table)} as same where ${sameOwner[table]} and same.label_id in (${all})
      and (same.label_id = ${sql.lit(label_id)} or same.id < ${sql.ref(`${table}.id`)}))`.execute(tx)
}

export function giveLabelToGroup(tx: Tx, id: number, namespace_id: number): Promise<Label> {
  const change = { namespace_id, project_id: null, updated_at: now() }
  return tx.updateTable('labels').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}
