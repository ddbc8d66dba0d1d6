/** Evidence of releases: what they were when it was collected. */
import type { Kysely, Migration } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const releaseEvidences: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'release_evidences')
      .addColumn('release_id', 'bigint', (column) => refers('releases.id')(column).notNull())
      .addColumn('sha', 'text', required)
      .addColumn('summary', 'text', required)
      .addColumn('collected_at', 'text', required)
      .execute()
    await db.schema.createIndex('release_evidences_release').on('release_evidences').column('release_id').execute()
  },
}
