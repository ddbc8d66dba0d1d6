/**
 * Whose login is locked, so that administrators see it: the key is a digest. Without a reference, as somebody may try to sign in while the
 * account is deleted.
 */
import type { Kysely, Migration } from 'kysely'

export const lockUsers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('sign_in_failures').addColumn('user_id', 'bigint').execute()
  },
}
