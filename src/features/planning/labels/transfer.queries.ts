/** SQL for labels of groups that a project leaves. */
import { sql } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import type { Label } from '../../../db/tables.ts'

/** Labels of groups that are not above the namespace, but that issues, lists of boards or priorities of the project use. */
export function labelsLeftBehind(tx: Tx, projectId: number, namespaceId: number): Promise<Label[]> {
  const above = tx.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespaceId)
  return tx
    .selectFrom('labels')
    .selectAll()
    .where('namespace_id', 'is not', null)
    .where('namespace_id', 'not in', above)
    .where((eb) =>
      eb.or([
        eb('id', 'in', issueLabels(tx, projectId).select('issue_labels.label_id')),
        eb('id', 'in', tx.selectFrom('board_lists').select('board_lists.label_id').where('board_id', 'in', boardsOf(tx, projectId))),
        eb('id', 'in', tx.selectFrom('label_priorities').select('label_priorities.label_id').where('project_id', '=', projectId)),
      ]),
    )
    .orderBy('id')
    .execute()
}

/** Replaces one label by another on everything of the project, without duplicates. */
export async function replaceLabelIn(tx: Tx, projectId: number, from: number, to: number): Promise<void> {
  const target = sql<number>`${sql.lit(to)}`.as('label_id')
  const labelled = issueLabels(tx, projectId).where('issue_labels.label_id', '=', from)
  await tx
    .insertInto('issue_labels')
    .columns(['issue_id', 'label_id'])
    .expression(labelled.select(['issue_labels.issue_id', target]))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx.deleteFrom('issue_labels').where('label_id', '=', from).where('issue_id', 'in', issuesOf(tx, projectId)).execute()
  const label_id = to
  await tx
    .updateTable('label_events')
    .set({ label_id })
    .where('label_id', '=', from)
    .where('issue_id', 'in', issuesOf(tx, projectId))
    .execute()
  const taken = tx.selectFrom('board_lists as same').select('same.board_id').where('same.label_id', '=', to)
  const lists = tx.updateTable('board_lists').set({ label_id }).where('label_id', '=', from)
  await lists.where('board_id', 'in', boardsOf(tx, projectId)).where('board_id', 'not in', taken).execute()
  await tx.deleteFrom('board_lists').where('label_id', '=', from).where('board_id', 'in', boardsOf(tx, projectId)).execute()
  const hasPriority = tx.selectFrom('label_priorities as same').select('same.project_id').where('same.label_id', '=', to)
  const priorities = tx.updateTable('label_priorities').set({ label_id }).where('label_id', '=', from)
  await priorities.where('project_id', '=', projectId).where('project_id', 'not in', hasPriority).execute()
  await tx.deleteFrom('label_priorities').where('label_id', '=', from).where('project_id', '=', projectId).execute()
}

function issuesOf(tx: Tx, projectId: number) {
  return tx.selectFrom('issues').select('issues.id').where('issues.project_id', '=', projectId)
}

function issueLabels(tx: Tx, projectId: number) {
  return tx.selectFrom('issue_labels').where('issue_labels.issue_id', 'in', issuesOf(tx, projectId))
}

function boardsOf(tx: Tx, projectId: number) {
  return tx.selectFrom('boards').select('boards.id').where('boards.project_id', '=', projectId)
}
