/** Which process runs a job: when one dies, others take over its jobs at once, not after the lease. */
import type { Migration } from 'kysely'

export const jobOwners: Migration = {
  async up(db) {
    await db.schema.alterTable('jobs').addColumn('owner', 'text').execute()
  },
}
