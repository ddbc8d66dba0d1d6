/** Notification settings of users: in general, for a group, for a project; and the address that gets the mail. */
import { type Kysely, type Migration, sql } from 'kysely'
import { refers, required, tableWithId, words } from './columns.ts'

export const notificationSettings: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('notification_email', 'text').execute()
    await tableWithId(db, 'notification_settings')
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('project_id', 'bigint', refers('projects.id'))
      .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
      .addColumn('level', 'text', required)
      .addColumn('switches', 'text', words('{}'))
      .addColumn('updated_at', 'text', required)
      .execute()
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`notification_settings_${name}`).on('notification_settings').columns(columns)
    // One row per user and place, and one per user that applies everywhere.
    await index('everywhere', ['user_id']).unique().where(sql<boolean>`project_id is null and namespace_id is null`).execute()
    await index('at_project', ['user_id', 'project_id']).unique().where('project_id', 'is not', null).execute()
    await index('at_group', ['user_id', 'namespace_id']).unique().where('namespace_id', 'is not', null).execute()
    await index('of_project', ['project_id', 'level']).execute()
    await index('of_group', ['namespace_id', 'level']).execute()
  },
}
