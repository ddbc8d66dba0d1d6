/** The milestones that releases are part of; the ids of the patches of versions. */
import type { Migration } from 'kysely'
import { refers } from './columns.ts'

export const releaseMilestones: Migration = {
  async up(db) {
    await db.schema
      .createTable('release_milestones')
      .addColumn('release_id', 'bigint', (column) => refers('releases.id')(column).notNull())
      .addColumn('milestone_id', 'bigint', (column) => refers('milestones.id')(column).notNull())
      .addPrimaryKeyConstraint('release_milestones_key', ['release_id', 'milestone_id'])
      .execute()
    await db.schema.createIndex('release_milestones_by_milestone').on('release_milestones').column('milestone_id').execute()
    await db.schema.alterTable('merge_request_versions').addColumn('patch_id', 'text').execute()
  },
}
