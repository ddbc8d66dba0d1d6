/** Emoji on comments on personal snippets, beside those on notes. */
import { type Kysely, type Migration, sql } from 'kysely'
import { refers } from './columns.ts'

export const emojiOnSnippetComments: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('award_emoji').addColumn('snippet_comment_id', 'bigint', refers('snippet_comments.id')).execute()
    await sql`create unique index award_emoji_on_snippet_comment
      on award_emoji (snippet_comment_id, user_id, name, left_by_id)`.execute(db)
  },
}
