/** Pipelines that test what merging a request would make, instead of its source branch alone. */
import type { Kysely, Migration } from 'kysely'
import { flag } from './columns.ts'

export const mergedResults: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('projects').addColumn('merge_pipelines_enabled', 'boolean', flag(false)).execute()
    await db.schema.alterTable('pipelines').addColumn('source_sha', 'text').execute()
  },
}
