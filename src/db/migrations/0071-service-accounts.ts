/** Users for machines: of the instance, of a group or of a project, which goes with it. */
import type { Kysely, Migration } from 'kysely'
import { refers, required } from './columns.ts'

export const serviceAccounts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('service_accounts')
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).primaryKey())
      .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
      .addColumn('project_id', 'bigint', refers('projects.id'))
      .addColumn('created_at', 'text', required)
      .execute()
    await db.schema.createIndex('service_accounts_namespace').on('service_accounts').column('namespace_id').execute()
    await db.schema.createIndex('service_accounts_project').on('service_accounts').column('project_id').execute()
  },
}
