/** The appearance of the instance: names, texts and images of its administrators. */
import type { Kysely, Migration } from 'kysely'
import { required } from './columns.ts'

export const appearance: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('appearance')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', required)
      .addColumn('store_key', 'text')
      .execute()
  },
}
