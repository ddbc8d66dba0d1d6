/** Case-insensitive search for texts, alike on both engines; and the index of code. */
import type { Migration } from 'kysely'
import { number, refers, required, tableWithId, words } from './columns.ts'
import { createTextSearch } from './text-search.ts'

export const search: Migration = {
  async up(db) {
    await createTextSearch(db)
    await tableWithId(db, 'code_segments')
      .addColumn('file', 'text', (column) => column.notNull().unique())
      .addColumn('docs', 'bigint', required)
      .addColumn('bytes', 'bigint', required)
      .addColumn('created_at', 'text', required)
      .execute()
    await db.schema
      .createTable('code_parts')
      .addColumn('segment_id', 'bigint', (column) => refers('code_segments.id')(column).notNull())
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .addColumn('first_doc', 'bigint', required)
      .addColumn('docs', 'bigint', required)
      .addColumn('removed', 'text', words('[]'))
      .addPrimaryKeyConstraint('code_parts_key', ['segment_id', 'first_doc'])
      .execute()
    await db.schema.createIndex('code_parts_project').on('code_parts').column('project_id').execute()
    await db.schema
      .createTable('code_projects')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).primaryKey())
      .addColumn('commit_oid', 'text')
      .addColumn('wanted', 'bigint', number(1))
      .addColumn('done', 'bigint', number(0))
      .execute()
  },
}
