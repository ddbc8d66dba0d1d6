/** Who asked for a job: what takes long is done for one user as for another. */
import type { Migration } from 'kysely'

export const askers: Migration = {
  async up(db) {
    await db.schema.alterTable('jobs').addColumn('asked_by', 'bigint').execute()
  },
}
