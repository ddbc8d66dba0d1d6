/** Comments on personal snippets. Notes are of a project, which decides who reads them; these are read by whoever sees the snippet. */
import type { Kysely, Migration } from 'kysely'
import { flag, refers, required, tableWithId } from './columns.ts'

export const snippetComments: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'snippet_comments')
      .addColumn('snippet_id', 'bigint', (column) => refers('snippets.id')(column).notNull())
      .addColumn('author_id', 'bigint', (column) => refers('users.id', 'restrict')(column).notNull())
      .addColumn('body', 'text', required)
      .addColumn('is_edited', 'boolean', flag(false))
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
    await db.schema.createIndex('snippet_comments_of_snippet').on('snippet_comments').columns(['snippet_id', 'id']).execute()
    await db.schema.createIndex('snippet_comments_of_author').on('snippet_comments').column('author_id').execute()
  },
}
