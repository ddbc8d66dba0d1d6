/** Merge requests of a stack that wait in a queue behind the one below them. */
import type { Kysely, Migration } from 'kysely'

export const stacksInQueues: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['stacked_branch', 'after_oid']) await db.schema.alterTable('merge_train_cars').addColumn(column, 'text').execute()
  },
}
