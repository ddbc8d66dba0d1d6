/** Tokens sent by mail, with which users choose a password or confirm an address. */
import type { Kysely, Migration } from 'kysely'
import { flag, refers, required } from './columns.ts'

export const accountTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('confirmation_required', 'boolean', flag(false)).execute()
    await db.schema.alterTable('mail_contents').addColumn('sealed_token', 'text').execute()
    await db.schema
      .createTable('account_tokens')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('purpose', 'text', required)
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('email', 'text', required)
      .addColumn('expires_at', 'text', required)
      .execute()
    await db.schema.createIndex('account_tokens_user').on('account_tokens').columns(['user_id', 'purpose']).execute()
    await db.schema.createIndex('account_tokens_expiry').on('account_tokens').column('expires_at').execute()
  },
}
