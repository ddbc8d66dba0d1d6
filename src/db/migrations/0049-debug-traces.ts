/** Marks jobs that print their variables: only users who may run them can read their traces. */
import type { Kysely, Migration } from 'kysely'
import { flag } from './columns.ts'

export const debugTraces: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('ci_jobs').addColumn('prints_variables', 'boolean', flag(false)).execute()
  },
}
