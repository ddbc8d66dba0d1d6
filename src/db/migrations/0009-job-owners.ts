/** Which process runs a job: one that died leaves its jobs to the others at once, not after their lease. */
import type { Migration } from 'kysely'

export const jobOwners: Migration = {
  async up(db) {
    await db.schema.alterTable('jobs').addColumn('owner', 'text').execute()
  },
}
