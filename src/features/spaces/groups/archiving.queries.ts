/**
 * SQL for archived groups. Whether a group or project is archived is written into its own row, so that no check of access looks at the
 * groups above it.
 */
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import type { Instant, Tables } from '../../../db/tables.ts'

function below(db: Db, id: number) {
  return db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id)
}

/** The group, and everything below it that isn't archived yet. */
export async function archiveBelow(tx: Tx, id: number, at: Instant): Promise<void> {
  await tx.updateTable('namespaces').set({ archived_by_itself: true }).where('id', '=', id).execute()
  await tx.updateTable('namespaces').set({ archived: true }).where('id', 'in', below(tx, id)).where('archived', '=', false).execute()
  await tx
    .updateTable('projects')
    .set({ archived: true, archived_by_group: true, updated_at: at })
    .where('namespace_id', 'in', below(tx, id))
    .where('archived', '=', false)
    .execute()
  // Projects marked for deletion count as archived already. If they are restored, they must be archived with their group.
  await tx
    .updateTable('projects')
    .set({ archived_before: true, archived_by_group: true })
    .where('namespace_id', 'in', below(tx, id))
    .where('archived_before', '=', false)
    .execute()
}

/** The group, and what is below it, except for what is archived by itself or with another group. */
export async function unarchiveBelow(tx: Tx, id: number, at: Instant): Promise<void> {
  await tx.updateTable('namespaces').set({ archived_by_itself: false }).where('id', '=', id).execute()
  await tx
    .updateTable('namespaces')
    .set({ archived: false })
    .where('id', 'in', below(tx, id))
    .where((eb) => eb.not(standsInArchived(eb)))
    .execute()
  const projects = () =>
    tx
      .updateTable('projects')
      .where('archived_by_group', '=', true)
      .where('namespace_id', 'in', below(tx, id))
      .where('namespace_id', 'in', tx.selectFrom('namespaces').select('id').where('archived', '=', false))
  await projects().set({ archived_before: false, archived_by_group: false }).where('archived_before', 'is not', null).execute()
  await projects().set({ archived: false, archived_by_group: false, updated_at: at }).execute()
}

function standsInArchived(eb: ExpressionBuilder<Tables, 'namespaces'>) {
  return eb.exists(
    eb
      .selectFrom('namespace_ancestors')
      .innerJoin('namespaces as above', 'above.id', 'namespace_ancestors.ancestor_id')
      .select(sql.lit(1).as('one'))
      .whereRef('namespace_ancestors.namespace_id', '=', 'namespaces.id')
      .where('above.archived_by_itself', '=', true),
  )
}
