/** Users report abuse by others to administrators. */
import type { Kysely, Migration } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const abuseReports: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'abuse_reports')
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('reporter_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('category', 'text', required)
      .addColumn('message', 'text', required)
      .addColumn('url', 'text', required)
      .addColumn('created_at', 'text', required)
      .addColumn('closed_at', 'text')
      .addUniqueConstraint('abuse_reports_once', ['user_id', 'reporter_id'])
      .execute()
    await db.schema.createIndex('abuse_reports_reporter').on('abuse_reports').column('reporter_id').execute()
    await db.schema.createIndex('abuse_reports_open').on('abuse_reports').columns(['closed_at', 'created_at']).execute()
  },
}
