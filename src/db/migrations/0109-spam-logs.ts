/** Texts that a spam check has refused, for administrators. */
import type { Kysely, Migration } from 'kysely'
import { flag, refers, required, tableWithId } from './columns.ts'

export const spamLogs: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'spam_logs')
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('kind', 'text', required)
      .addColumn('title', 'text', required)
      .addColumn('text', 'text', required)
      .addColumn('ip_address', 'text', required)
      .addColumn('user_agent', 'text', required)
      .addColumn('submitted_as_ham', 'boolean', flag(false))
      .addColumn('created_at', 'text', required)
      .execute()
    await db.schema.createIndex('spam_logs_of_user').on('spam_logs').column('user_id').execute()
  },
}
