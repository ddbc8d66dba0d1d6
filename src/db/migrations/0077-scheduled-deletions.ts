/** Projects and groups that are deleted later, until when they can be restored. */
import type { Kysely, Migration } from 'kysely'

export const scheduledDeletions: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['projects', 'namespaces']) {
      await db.schema.alterTable(table).addColumn('marked_for_deletion_at', 'text').execute()
      await db.schema.alterTable(table).addColumn('deletion_due_at', 'text').execute()
      const due = db.schema.createIndex(`${table}_deletion_due`).on(table).column('deletion_due_at')
      await due.where('deletion_due_at', 'is not', null).execute()
    }
    await db.schema.alterTable('projects').addColumn('archived_before', 'boolean').execute()
  },
}
