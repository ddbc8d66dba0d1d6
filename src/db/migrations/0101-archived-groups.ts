/** Groups that are archived with everything below them, and what was archived only with its group. */
import type { Kysely, Migration } from 'kysely'
import { flag } from './columns.ts'

export const archivedGroups: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('namespaces').addColumn('archived', 'boolean', flag(false)).execute()
    await db.schema.alterTable('namespaces').addColumn('archived_by_itself', 'boolean', flag(false)).execute()
    await db.schema.alterTable('projects').addColumn('archived_by_group', 'boolean', flag(false)).execute()
  },
}
