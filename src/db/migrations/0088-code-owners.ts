/** Whether changes of a protected branch need the approval of code owners. */
import type { Kysely, Migration } from 'kysely'
import { flag } from './columns.ts'

export const codeOwners: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('protected_branches').addColumn('code_owner_approval_required', 'boolean', flag(false)).execute()
  },
}
