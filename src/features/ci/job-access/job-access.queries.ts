/** SQL for the job that a path names. */
import type { Db } from '../../../db/database.ts'
import type { CiJob, CommitStatus } from '../../../db/tables.ts'

/** A job of the project with its status; null if there is none, or it triggers another pipeline. */
export async function jobAt(db: Db, project_id: number, id: number): Promise<{ row: CiJob; status: CommitStatus } | null> {
  const row = await db.selectFrom('ci_jobs').selectAll().where('id', '=', id).where('project_id', '=', project_id).executeTakeFirst()
  const status = row && (await db.selectFrom('commit_statuses').selectAll().where('id', '=', id).executeTakeFirst())
  return row && status?.kind === 'job' ? { row, status } : null
}
