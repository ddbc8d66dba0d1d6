/** Feature flags, figures of the queue, and failures of the repository storage. */
import type { Migration } from 'kysely'
import { number, refers, required, tableWithId } from './columns.ts'

export const operations: Migration = {
  async up(db) {
    await db.schema
      .createTable('features')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .execute()
    await tableWithId(db, 'feature_gates')
      .addColumn('feature_name', 'text', (column) => refers('features.name')(column).notNull())
      .addColumn('kind', 'text', required)
      .addColumn('value', 'text')
      .addColumn('user_id', 'bigint', refers('users.id'))
      .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
      .addColumn('project_id', 'bigint', refers('projects.id'))
      .execute()
    for (const column of ['feature_name', 'user_id', 'namespace_id', 'project_id']) {
      await db.schema.createIndex(`feature_gates_by_${column}`).on('feature_gates').column(column).execute()
    }
    await db.schema
      .createTable('queue_workers')
      .addColumn('process', 'text', (column) => column.primaryKey())
      .addColumn('hostname', 'text', required)
      .addColumn('pid', 'integer', required)
      .addColumn('started_at', 'text', required)
      .addColumn('seen_at', 'text', required)
      .execute()
    await db.schema
      .createTable('queue_totals')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('processed', 'bigint', number(0))
      .addColumn('failed', 'bigint', number(0))
      .execute()
    await db.schema
      .createTable('storage_failures')
      .addColumn('hostname', 'text', (column) => column.primaryKey())
      .addColumn('failures', 'integer', required)
      .addColumn('last_at', 'text', required)
      .execute()
  },
}
