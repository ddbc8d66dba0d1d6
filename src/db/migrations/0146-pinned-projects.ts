/** Projects that a user shows first on their profile. */
import type { Kysely, Migration } from 'kysely'
import { refers, required } from './columns.ts'

export const pinnedProjects: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('pinned_projects')
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .addColumn('position', 'integer', required)
      .addPrimaryKeyConstraint('pinned_projects_key', ['user_id', 'project_id'])
      .execute()
    await db.schema.createIndex('pinned_projects_project').on('pinned_projects').column('project_id').execute()
  },
}
