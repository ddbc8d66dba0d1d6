/** Progress of imports, forks and exports, for the pages that show it. */
import type { Migration } from 'kysely'
import { refers, required } from './columns.ts'

export const transferProgress: Migration = {
  async up(db) {
    await db.schema
      .createTable('transfer_progress')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .addColumn('work', 'text', required)
      .addColumn('done_bytes', 'bigint', required)
      .addColumn('total_bytes', 'bigint')
      .addColumn('updated_at', 'text', required)
      .addPrimaryKeyConstraint('transfer_progress_key', ['project_id', 'work'])
      .execute()
  },
}
