/** Events of wiki pages: created, updated and deleted. They name the page as it was called then, as pages have no rows. */
import { type Kysely, type Migration, sql } from 'kysely'

export const wikiEvents: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['wiki_slug', 'wiki_title', 'wiki_format']) {
      await db.schema.alterTable('events').addColumn(column, 'text').execute()
    }
    // A push is recorded once, however often its job runs.
    await db.schema
      .createIndex('events_of_wiki_pages')
      .unique()
      .on('events')
      .columns(['project_id', 'after_oid', 'wiki_slug', 'action'])
      .where(sql.ref('wiki_slug'), 'is not', null)
      .execute()
  },
}
