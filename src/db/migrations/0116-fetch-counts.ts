/** How often each project is fetched, by day. */
import type { Kysely, Migration } from 'kysely'
import { refers, required } from './columns.ts'

export const fetchCounts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('fetch_counts')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.notNull()))
      .addColumn('day', 'text', required)
      .addColumn('count', 'bigint', required)
      .addPrimaryKeyConstraint('fetch_counts_pair', ['project_id', 'day'])
      .execute()
  },
}
