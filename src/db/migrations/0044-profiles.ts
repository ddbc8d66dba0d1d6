/** Further parts of profiles: a public email address, job title, pronouns. */
import type { Migration } from 'kysely'
import { words } from './columns.ts'

export const profiles: Migration = {
  async up(db) {
    for (const name of ['public_email', 'job_title', 'pronouns'])
      await db.schema.alterTable('users').addColumn(name, 'text', words('')).execute()
  },
}
