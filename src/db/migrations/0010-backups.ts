/** Running backups: while there is one, nothing that its snapshot of the database names is removed. */
import type { Migration } from 'kysely'
import { required } from './columns.ts'

export const backups: Migration = {
  async up(db) {
    await db.schema
      .createTable('backups')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'text', required)
      .execute()
  },
}
