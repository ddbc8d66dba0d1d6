/** Commits of elsewhere that explain a merge request. */
import type { Kysely, Migration } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const contextCommits: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'context_commits')
      .addColumn('merge_request_id', 'bigint', (column) => refers('merge_requests.id')(column).notNull())
      .addColumn('oid', 'text', required)
      .execute()
    await db.schema.createIndex('context_commits_oid').on('context_commits').columns(['merge_request_id', 'oid']).unique().execute()
  },
}
