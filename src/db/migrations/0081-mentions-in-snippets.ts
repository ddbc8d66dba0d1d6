/** System notes that tell of a snippet: they are for those who see it, and go with it. */
import type { Kysely, Migration } from 'kysely'
import { refers } from './columns.ts'

export const mentionsInSnippets: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('notes').addColumn('about_snippet_id', 'bigint', refers('snippets.id')).execute()
    await db.schema
      .createIndex('notes_by_about_snippet_id')
      .on('notes')
      .column('about_snippet_id')
      .where('about_snippet_id', 'is not', null)
      .execute()
  },
}
