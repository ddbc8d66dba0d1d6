/** Exports of groups: the state of the last one, and where its archive is. */
import type { Kysely, Migration } from 'kysely'
import { flag, number, refers, required } from './columns.ts'

export const groupExports: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('group_exports')
      .addColumn('namespace_id', 'bigint', (column) => refers('namespaces.id')(column.primaryKey()))
      .addColumn('state', 'text', required)
      .addColumn('store_key', 'text')
      .addColumn('size', 'bigint')
      .addColumn('attempts', 'bigint', number(0))
      .addColumn('with_addresses', 'boolean', required)
      .addColumn('has_addresses', 'boolean', flag(false))
      .addColumn('requested_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
  },
}
