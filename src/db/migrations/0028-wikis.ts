/** Wikis: repositories of projects and groups besides their code, and the journal of pushes to them. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { number, refers, required, tableWithId } from './columns.ts'

export const wikis: Migration = {
  async up(db) {
    await tableWithId(db, 'wikis')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).unique())
      .addColumn('namespace_id', 'bigint', (column) => refers('namespaces.id')(column).unique())
      .addColumn('size', 'bigint', number(0))
      .addColumn('push_count', 'integer', number(0))
      .addColumn('created_at', 'text', required)
      .addColumn('pushed_at', 'text')
      .execute()
    await db.schema.alterTable('projects').addColumn('wiki_size', 'bigint', number(0)).execute()
    await openJournalToWikis(db)
    await db.schema.createIndex('push_intents_wiki').on('push_intents').column('wiki_id').execute()
  },
}

/** An intent belongs to a project or a wiki. SQLite can't change existing columns, so the table is rebuilt, including pending intents. */
async function openJournalToWikis(db: Kysely<unknown>): Promise<void> {
  if (capabilitiesOf(db).altersConstraints) {
    await db.schema
      .alterTable('push_intents')
      .alterColumn('project_id', (column) => column.dropNotNull())
      .execute()
    await db.schema.alterTable('push_intents').addColumn('wiki_id', 'bigint', refers('wikis.id')).execute()
    return
  }
  await tableWithId(db, 'push_intents_anew')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('wiki_id', 'bigint', refers('wikis.id'))
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('process', 'text', required)
    .addColumn('changes', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute()
  await sql`
    insert into push_intents_anew (id, project_id, user_id, process, changes, created_at)
    select id, project_id, user_id, process, changes, created_at from push_intents`.execute(db)
  // Ids must not be reused.
  await sql`
    insert into sqlite_sequence (name, seq)
    select 'push_intents_anew', seq from sqlite_sequence where name = 'push_intents'
      and not exists (select 1 from sqlite_sequence where name = 'push_intents_anew')`.execute(db)
  await sql`
    update sqlite_sequence set seq = (select max(seq) from sqlite_sequence where name in ('push_intents', 'push_intents_anew'))
    where name = 'push_intents_anew'`.execute(db)
  await db.schema.dropTable('push_intents').execute()
  await db.schema.alterTable('push_intents_anew').renameTo('push_intents').execute()
  await db.schema.createIndex('push_intents_project').on('push_intents').column('project_id').execute()
  await db.schema.createIndex('push_intents_user').on('push_intents').column('user_id').execute()
}
