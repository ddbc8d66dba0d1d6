/** Snippets and their files, and the columns by which notes refer to them. */
import { type Kysely, type Migration, sql } from 'kysely'
import { number, refers, required, tableWithId } from './columns.ts'

export const snippets: Migration = {
  async up(db) {
    await createSnippets(db)
    await createFiles(db)
    await db.schema.alterTable('projects').addColumn('snippets_size', 'bigint', number(0)).execute()
    await openPlanningToSnippets(db)
  },
}

async function createSnippets(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'snippets')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('author_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('title', 'text', required)
    .addColumn('file_name', 'text', required)
    .addColumn('description', 'text')
    .addColumn('visibility', 'text', required)
    .addColumn('size', 'bigint', number(0))
    .addColumn('user_notes_count', 'integer', number(0))
    .addColumn('upvotes', 'integer', number(0))
    .addColumn('downvotes', 'integer', number(0))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  for (const [name, first] of [
    ['snippets_of_project', 'project_id'],
    ['snippets_of_author', 'author_id'],
    ['snippets_of_visibility', 'visibility'],
  ] as const)
    await db.schema.createIndex(name).on('snippets').columns([first, 'created_at', 'id']).execute()
  await db.schema.createIndex('snippets_by_created_at').on('snippets').columns(['created_at', 'id']).execute()
}

async function createFiles(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'snippet_files')
    .addColumn('snippet_id', 'bigint', (column) => refers('snippets.id')(column).notNull())
    .addColumn('position', 'integer', required)
    .addColumn('path', 'text', required)
    .addColumn('content', 'text', required)
    .addUniqueConstraint('snippet_files_of_snippet', ['snippet_id', 'position'])
    .execute()
}

async function openPlanningToSnippets(db: Kysely<unknown>): Promise<void> {
  const ofSnippet = refers('snippets.id')
  for (const table of ['notes', 'award_emoji', 'events', 'user_agent_details'])
    await db.schema.alterTable(table).addColumn('snippet_id', 'bigint', ofSnippet).execute()
  for (const [name, columns] of [
    ['notes_of_snippet_by_author', ['snippet_id', 'author_id']],
    ['notes_of_snippet', ['snippet_id', 'created_at', 'id']],
    ['notes_of_snippet_by_updated_at', ['snippet_id', 'updated_at', 'id']],
    ['discussions_of_snippet', ['snippet_id', 'opens_discussion', 'created_at', 'id']],
  ] as const)
    await db.schema
      .createIndex(name)
      .on('notes')
      .columns([...columns])
      .execute()
  await db.schema.createIndex('events_by_snippet_id').on('events').column('snippet_id').execute()
  await sql`create unique index award_emoji_on_snippet on award_emoji (snippet_id, user_id, name, left_by_id)`.execute(db)
  await sql`create unique index user_agent_of_snippet on user_agent_details (snippet_id)`.execute(db)
}
