/** Merge requests that are merged before others. */
import type { Kysely, Migration } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const mergeRequestBlocks: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'merge_request_blocks')
      .addColumn('blocking_merge_request_id', 'bigint', (column) => refers('merge_requests.id')(column.notNull()))
      .addColumn('blocked_merge_request_id', 'bigint', (column) => refers('merge_requests.id')(column.notNull()))
      .addColumn('created_at', 'text', required)
      .addUniqueConstraint('merge_request_blocks_pair', ['blocked_merge_request_id', 'blocking_merge_request_id'] as never)
      .execute()
    await db.schema.createIndex('merge_request_blocks_by_blocking').on('merge_request_blocks').column('blocking_merge_request_id').execute()
  },
}
