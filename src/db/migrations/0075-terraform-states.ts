/** States of OpenTofu and Terraform: each with a lock, and every version that was written. */
import type { Kysely, Migration } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const terraformStates: Migration = {
  async up(db: Kysely<unknown>) {
    const index = (table: string, name: string, columns: string[]) => db.schema.createIndex(`${table}_${name}`).on(table).columns(columns)
    await tableWithId(db, 'terraform_states')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .addColumn('name', 'text', required)
      .addColumn('lock_id', 'text')
      .addColumn('lock_info', 'text')
      .addColumn('locked_by_id', 'bigint', refers('users.id', 'set null'))
      .addColumn('locked_at', 'text')
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
    await index('terraform_states', 'name', ['project_id', 'name']).unique().execute()
    await index('terraform_states', 'locked_by', ['locked_by_id']).execute()
    await tableWithId(db, 'terraform_versions')
      .addColumn('state_id', 'bigint', (column) => refers('terraform_states.id')(column).notNull())
      .addColumn('serial', 'bigint', required)
      .addColumn('size', 'bigint', required)
      .addColumn('store_key', 'text', required)
      .addColumn('created_by_id', 'bigint', refers('users.id', 'set null'))
      .addColumn('created_at', 'text', required)
      .execute()
    await index('terraform_versions', 'serial', ['state_id', 'serial']).unique().execute()
    await index('terraform_versions', 'creator', ['created_by_id']).execute()
  },
}
