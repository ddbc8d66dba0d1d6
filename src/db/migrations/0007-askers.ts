/** The user on whose behalf a job runs, so that long jobs of different users take turns. */
import type { Migration } from 'kysely'

export const askers: Migration = {
  async up(db) {
    await db.schema.alterTable('jobs').addColumn('asked_by', 'bigint').execute()
  },
}
