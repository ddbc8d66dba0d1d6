/** What strangers may not learn or wear out: whose addresses an archive tells, and how often somebody failed to sign in. */
import type { Migration } from 'kysely'
import { flag, number, required } from './columns.ts'

export const access: Migration = {
  async up(db) {
    await db.schema.alterTable('project_exports').addColumn('with_addresses', 'boolean', flag(false)).execute()
    await db.schema.alterTable('project_exports').addColumn('has_addresses', 'boolean', flag(false)).execute()
    // Archives from before this tell them.
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
