/** Former paths of renamed or moved projects, which redirect to the current path. */
import { type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { refers } from './columns.ts'

export const redirects: Migration = {
  async up(db) {
    // Paths are compared byte by byte, so that paths with the same prefix are adjacent in the index.
    const text = capabilitiesOf(db).comparesBytes ? sql`text` : sql`text collate "C"`
    await db.schema
      .createTable('redirects')
      .addColumn('path_key', text, (column) => column.primaryKey())
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .execute()
    await db.schema.createIndex('redirects_project_id').on('redirects').column('project_id').execute()
  },
}
