/** The options of a push, stored until the push is recorded. */
import type { Kysely, Migration } from 'kysely'

export const pushOptions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('push_intents').addColumn('push_options', 'text').execute()
  },
}
