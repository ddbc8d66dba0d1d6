/** The inputs that a schedule gives to the CI file of its pipelines, sealed as its variables are. */
import type { Kysely, Migration } from 'kysely'

export const scheduleInputs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('ci_schedules').addColumn('inputs', 'text').execute()
  },
}
