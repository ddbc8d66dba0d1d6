/** Sessions record where they began and who impersonates a user in them; users have preferences for pages. */
import type { Migration } from 'kysely'
import { number, refers, words } from './columns.ts'

export const peoplePages: Migration = {
  async up(db) {
    // SQLite adds one column at a time.
    await db.schema.alterTable('sessions').addColumn('address', 'text').execute()
    await db.schema.alterTable('sessions').addColumn('browser', 'text').execute()
    await db.schema.alterTable('sessions').addColumn('impersonator_id', 'bigint', refers('users.id')).execute()
    await db.schema.createIndex('sessions_impersonator').on('sessions').column('impersonator_id').execute()
    await db.schema.alterTable('users').addColumn('dashboard', 'text', words('projects')).execute()
    await db.schema.alterTable('users').addColumn('week_starts_on', 'integer', number(0)).execute()
  },
}
