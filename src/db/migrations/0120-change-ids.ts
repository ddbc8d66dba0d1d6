/** The change ids of the commits of merge requests. Earlier versions have none: the next push brings them. */
import { type Kysely, type Migration, sql } from 'kysely'

export const changeIds: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('merge_request_version_commits').addColumn('change_id', 'text').execute()
    await db.schema
      .createIndex('merge_request_version_commits_by_change')
      .on('merge_request_version_commits')
      .columns(['change_id', 'version_id'])
      .where(sql<boolean>`change_id is not null`)
      .execute()
  },
}
