/**
 * Registration tokens of runners in projects are found by a digest and sealed. `sealRegistrationTokens` does that at start, as the key is
 * not in the database. The former unique index stays, since SQLite would have to rebuild the table to drop it.
 */
import type { Kysely, Migration } from 'kysely'

export const sealedTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('projects').addColumn('runners_token_digest', 'text').execute()
    await db.schema.createIndex('projects_runners_token_digest').unique().on('projects').column('runners_token_digest').execute()
  },
}
