/** Counts the jobs of a runner in the projects that a user may see, from an index alone. */
import type { Kysely, Migration } from 'kysely'

export const jobsOfRunners: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('commit_statuses_runner_project')
      .on('commit_statuses')
      .columns(['runner_id', 'project_id'])
      .where('runner_id', 'is not', null)
      .execute()
  },
}
