/** Integrations of projects with other tools, templates of them for new projects, and connected chat accounts. */
import { type Migration, sql } from 'kysely'
import { flag, refers, required, tableWithId } from './columns.ts'

export const integrations: Migration = {
  async up(db) {
    await tableWithId(db, 'integrations')
      .addColumn('project_id', 'bigint', refers('projects.id'))
      .addColumn('slug', 'text', required)
      .addColumn('active', 'boolean', flag(false))
      .addColumn('settings', 'text', required)
      .addColumn('events', 'text', required)
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
    await db.schema.createIndex('integrations_project').on('integrations').columns(['project_id', 'slug']).unique().execute()
    await db.schema
      .createIndex('integrations_template')
      .on('integrations')
      .column('slug')
      .unique()
      .where(sql.ref('project_id'), 'is', null)
      .execute()
    await db.schema.alterTable('hooks').addColumn('integration_id', 'bigint', refers('integrations.id')).execute()
    await db.schema.createIndex('hooks_integration').on('hooks').column('integration_id').execute()
    await db.schema.alterTable('projects').addColumn('external_tracker', 'text').execute()
    await db.schema.alterTable('projects').addColumn('external_wiki_url', 'text').execute()
    await tableWithId(db, 'chat_names')
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('integration_id', 'bigint', (column) => refers('integrations.id')(column).notNull())
      .addColumn('team_id', 'text', required)
      .addColumn('chat_id', 'text', required)
      .addColumn('chat_name', 'text')
      .addColumn('created_at', 'text', required)
      .execute()
    const names = db.schema.createIndex('chat_names_chat').on('chat_names')
    await names.columns(['integration_id', 'team_id', 'chat_id']).unique().execute()
    await db.schema.createIndex('chat_names_user').on('chat_names').column('user_id').execute()
  },
}
