/** Feature flags of projects: for whom a program turns on what it has, and where. */
import type { Kysely, Migration } from 'kysely'
import { flag, refers, required, tableWithId, words } from './columns.ts'

export const projectFlags: Migration = {
  async up(db: Kysely<unknown>) {
    const index = (table: string, name: string, columns: string[]) => db.schema.createIndex(`${table}_${name}`).on(table).columns(columns)
    await tableWithId(db, 'project_flags')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .addColumn('name', 'text', required)
      .addColumn('description', 'text', words(''))
      .addColumn('active', 'boolean', flag(true))
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
    await index('project_flags', 'name', ['project_id', 'name']).unique().execute()
    await tableWithId(db, 'flag_user_lists')
      .addColumn('iid', 'bigint', required)
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .addColumn('name', 'text', required)
      .addColumn('user_xids', 'text', words(''))
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
    await index('flag_user_lists', 'iid', ['project_id', 'iid']).unique().execute()
    await index('flag_user_lists', 'name', ['project_id', 'name']).unique().execute()
    await tableWithId(db, 'flag_strategies')
      .addColumn('flag_id', 'bigint', (column) => refers('project_flags.id')(column).notNull())
      .addColumn('name', 'text', required)
      .addColumn('parameters', 'text', words('{}'))
      .addColumn('user_list_id', 'bigint', refers('flag_user_lists.id'))
      .execute()
    await index('flag_strategies', 'flag', ['flag_id']).execute()
    await index('flag_strategies', 'user_list', ['user_list_id']).execute()
    await tableWithId(db, 'flag_scopes')
      .addColumn('strategy_id', 'bigint', (column) => refers('flag_strategies.id')(column).notNull())
      .addColumn('environment_scope', 'text', words('*'))
      .execute()
    await index('flag_scopes', 'scope', ['strategy_id', 'environment_scope']).unique().execute()
    await db.schema
      .createTable('flag_clients')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).primaryKey())
      .addColumn('instance_id_digest', 'text', required)
      .addColumn('instance_id', 'text', required)
      .execute()
    await index('flag_clients', 'instance_id', ['instance_id_digest']).unique().execute()
  },
}
