/** State of running jobs: the id tokens they were given, and whether they were told to stop. */
import type { Kysely, Migration } from 'kysely'
import { flag } from './columns.ts'

export const runningJobs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('ci_jobs').addColumn('id_tokens', 'text').execute()
    await db.schema.alterTable('ci_jobs').addColumn('cancels_gracefully', 'boolean', flag(false)).execute()
    await db.schema.alterTable('ci_jobs').addColumn('canceling_at', 'text').execute()
  },
}
