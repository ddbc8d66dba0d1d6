/** Releases with a name, an author, a date and links; forced pushes to protected branches. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, refers, required, tableWithId, words } from './columns.ts'

export const releases: Migration = {
  async up(db) {
    await db.schema.alterTable('releases').addColumn('name', 'text').execute()
    await db.schema.alterTable('releases').addColumn('author_id', 'bigint', refers('users.id', 'set null')).execute()
    await db.schema.alterTable('releases').addColumn('released_at', 'text', words('')).execute()
    await sql`update releases set released_at = created_at`.execute(db)
    await db.schema.createIndex('releases_by_author').on('releases').column('author_id').execute()
    await db.schema.createIndex('releases_by_date').on('releases').columns(['project_id', 'released_at']).execute()
    await createLinks(db)
    await db.schema.alterTable('protected_branches').addColumn('allow_force_push', 'boolean', flag(false)).execute()
  },
}

async function createLinks(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'release_links')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('release_id', 'bigint', (column) => refers('releases.id')(column).notNull())
    .addColumn('name', 'text', required)
    .addColumn('url', 'text', required)
    .addColumn('filepath', 'text')
    .addColumn('link_type', 'text', required)
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('release_links_name', ['release_id', 'name'])
    .addUniqueConstraint('release_links_url', ['release_id', 'url'])
    .addUniqueConstraint('release_links_filepath', ['release_id', 'filepath'])
    .execute()
  await db.schema.createIndex('release_links_by_project').on('release_links').column('project_id').execute()
}
