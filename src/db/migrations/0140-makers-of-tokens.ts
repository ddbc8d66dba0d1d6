/** Records who created an impersonation token, as it ends with their rights. Older tokens have none, as it wasn't recorded. */
import type { Kysely, Migration } from 'kysely'
import { refers } from './columns.ts'

export const makersOfTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('access_tokens').addColumn('created_by_id', 'bigint', refers('users.id')).execute()
    await db.schema.createIndex('access_tokens_by_created_by_id').on('access_tokens').column('created_by_id').execute()
  },
}
