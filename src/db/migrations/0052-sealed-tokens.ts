/**
 * The tokens that register runners for projects are found by a digest, and sealed: `sealRegistrationTokens` does that at the start, as
 * the key is not in the database. The unique index of old stays, since SQLite would have to write the table anew without it.
 */
import type { Kysely, Migration } from 'kysely'

export const sealedTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('projects').addColumn('runners_token_digest', 'text').execute()
    await db.schema.createIndex('projects_runners_token_digest').unique().on('projects').column('runners_token_digest').execute()
  },
}
