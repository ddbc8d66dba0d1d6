/** A number that each change of the feature flags of a project raises: programs that ask again get what is kept while it is the same. */
import type { Kysely, Migration } from 'kysely'
import { number } from './columns.ts'

export const flagVersions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('flag_clients').addColumn('version', 'bigint', number(0)).execute()
  },
}
