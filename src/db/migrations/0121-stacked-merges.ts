/** Merge requests that are merged as parts of a stack, each after the one below it. */
import type { Kysely, Migration } from 'kysely'
import { refers, required } from './columns.ts'

export const stackedMerges: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('stacked_merges')
      .addColumn('merge_request_id', 'bigint', (column) => refers('merge_requests.id')(column.primaryKey().notNull()))
      .addColumn('below_id', 'bigint', (column) => refers('merge_requests.id')(column.notNull()))
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column.notNull()))
      .addColumn('head_oid', 'text', required)
      .addColumn('rebased_oid', 'text')
      .addColumn('created_at', 'text', required)
      .execute()
    for (const column of ['below_id', 'user_id'])
      await db.schema.createIndex(`stacked_merges_by_${column}`).on('stacked_merges').column(column).execute()
  },
}
