/** Secure files of a project: keys and certificates for its jobs. */
import type { Kysely, Migration } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const secureFiles: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'secure_files')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
      .addColumn('name', 'text', required)
      .addColumn('checksum', 'text', required)
      .addColumn('size', 'bigint', required)
      .addColumn('store_key', 'text', required)
      .addColumn('created_at', 'text', required)
      .execute()
    await db.schema.createIndex('secure_files_name').on('secure_files').columns(['project_id', 'name']).unique().execute()
  },
}
