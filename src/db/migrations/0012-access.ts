/** Protection against strangers: whose addresses an archive contains, and how often sign-ins failed. */
import type { Migration } from 'kysely'
import { flag, number, required } from './columns.ts'

export const access: Migration = {
  async up(db) {
    await db.schema.alterTable('project_exports').addColumn('with_addresses', 'boolean', flag(false)).execute()
    await db.schema.alterTable('project_exports').addColumn('has_addresses', 'boolean', flag(false)).execute()
    // Archives from before this migration contain addresses.
    await db.updateTable('project_exports').set({ has_addresses: true }).where('store_key', 'is not', null).execute()
    await db.schema
      .createTable('sign_in_failures')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('failures', 'integer', number(0))
      .addColumn('ends_at', 'text', required)
      .execute()
    await db.schema.createIndex('sign_in_failures_by_end').on('sign_in_failures').column('ends_at').execute()
  },
}
