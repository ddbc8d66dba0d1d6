/** SQL for versions of what pages show: texts that differ once it has changed. One statement for any number of projects. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'

export type Versions = (db: Db, projectIds: number[]) => Promise<Map<number, string>>

/** Of the code: pushes, and commits made here. */
export const codeVersions: Versions = async (db, ids) => {
  const rows = await db.selectFrom('projects').select(['id', 'push_count']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, push_count }) => [id, String(push_count)]))
}

/** Of work in the background: import, export, housekeeping on request. */
export const workVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('project_exports', 'project_exports.project_id', 'projects.id')
    // The key of the job, as the feature gives it.
    .leftJoin('jobs', (join) =>
      join.on('jobs.unique_key', '=', sql<string>`'asked housekeeping ' || projects.id`).on('jobs.state', '=', 'ready'),
    )
    .select([
      'projects.id',
      'import_status',
      'project_exports.state',
      'project_exports.attempts',
      'project_exports.size',
      'jobs.id as job_id',
    ])
    .where('projects.id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ id, import_status, state, attempts, size, job_id }) => [id, [import_status, state, attempts, size, job_id].join('-')]),
  )
}
