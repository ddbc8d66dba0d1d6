/** Users follow each other; and preferences of users for diffs and for the tokens of their jobs. */
import type { Kysely, Migration } from 'kysely'
import { flag, refers, required } from './columns.ts'

export const follows: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('user_follows')
      .addColumn('follower_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('followed_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('created_at', 'text', required)
      .addPrimaryKeyConstraint('user_follows_pk', ['follower_id', 'followed_id'])
      .execute()
    await db.schema.createIndex('user_follows_followed').on('user_follows').column('followed_id').execute()
    await db.schema.alterTable('users').addColumn('view_diffs_file_by_file', 'boolean', flag(false)).execute()
    await db.schema.alterTable('users').addColumn('show_whitespace_in_diffs', 'boolean', flag(true)).execute()
    await db.schema.alterTable('users').addColumn('pass_user_identities_to_ci_jwt', 'boolean', flag(false)).execute()
  },
}
