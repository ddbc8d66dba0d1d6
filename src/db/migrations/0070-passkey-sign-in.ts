/** Challenges that a passkey has signed to sign in by itself: none counts twice. Kept until it would have ended anyway. */
import type { Kysely, Migration } from 'kysely'
import { required } from './columns.ts'

export const passkeySignIn: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('spent_challenges')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('ends_at', 'text', required)
      .execute()
    await db.schema.createIndex('spent_challenges_end').on('spent_challenges').column('ends_at').execute()
  },
}
