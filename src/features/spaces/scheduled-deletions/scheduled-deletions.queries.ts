/** SQL for projects and groups that are deleted later. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'

export interface Schedule {
  marked_for_deletion_at: Instant
  deletion_due_at: Instant
}

/** Archived, as nothing should come in that is deleted then; what it was before comes back with it. */
export async function markProject(tx: Tx, id: number, schedule: Schedule): Promise<void> {
  await tx
    .updateTable('projects')
    .set((eb) => ({ ...schedule, archived_before: eb.ref('archived'), archived: true, updated_at: schedule.marked_for_deletion_at }))
    .where('id', '=', id)
    .execute()
}

export async function unmarkProject(tx: Tx, id: number, updated_at: Instant): Promise<void> {
  await tx.updateTable('projects').set(unmarked(updated_at)).where('id', '=', id).execute()
}

/** Marks the projects below the group that aren't marked by themselves. */
export async function markProjectsBelow(tx: Tx, group_id: number, schedule: Schedule): Promise<void> {
  await tx
    .updateTable('projects')
    .set((eb) => ({ ...schedule, archived_before: eb.ref('archived'), archived: true, updated_at: schedule.marked_for_deletion_at }))
    .where('marked_for_deletion_at', 'is', null)
    .where('namespace_id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', group_id))
    .execute()
}

/** Unmarks the projects below the group that were marked with it. */
export async function unmarkProjectsBelow(tx: Tx, group_id: number, marked_at: Instant, updated_at: Instant): Promise<void> {
  await tx
    .updateTable('projects')
    .set(unmarked(updated_at))
    .where('marked_for_deletion_at', '=', marked_at)
    .where('namespace_id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', group_id))
    .execute()
}

function unmarked(updated_at: Instant) {
  const archived = sql<boolean>`coalesce(archived_before, ${sql.lit(false)})`
  return { marked_for_deletion_at: null, deletion_due_at: null, archived, archived_before: null, updated_at }
}

/** The group, and those below it that aren't marked by themselves. */
export async function markGroups(tx: Tx, id: number, schedule: Schedule): Promise<void> {
  await tx
    .updateTable('namespaces')
    .set(schedule)
    .where('marked_for_deletion_at', 'is', null)
    .where('id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id))
    .execute()
}

/** The group, and those below it that were marked with it. */
export async function unmarkGroups(tx: Tx, id: number, marked_at: Instant): Promise<void> {
  await tx
    .updateTable('namespaces')
    .set({ marked_for_deletion_at: null, deletion_due_at: null })
    .where('marked_for_deletion_at', '=', marked_at)
    .where('id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id))
    .execute()
}

/** Projects whose time has come, by id. */
export async function dueProjects(db: Db, at: Instant, after: number, limit: number): Promise<number[]> {
  const due = db.selectFrom('projects').select('id').where('deletion_due_at', '<=', at).where('id', '>', after)
  return (await due.orderBy('id').limit(limit).execute()).map(({ id }) => id)
}

/** Groups whose time has come, by id. */
export async function dueGroups(db: Db, at: Instant, after: number, limit: number): Promise<number[]> {
  const due = db.selectFrom('namespaces').select('id').where('deletion_due_at', '<=', at).where('id', '>', after)
  return (await due.orderBy('id').limit(limit).execute()).map(({ id }) => id)
}
