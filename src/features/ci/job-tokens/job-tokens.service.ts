/** Authenticates the runner of a job: only while the job runs, and only with its token. */
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { CiJob, CommitStatus } from '../../../db/tables.ts'
import { Failure, forbidden } from '../../../failure.ts'

export interface RunningJob {
  status: CommitStatus
  job: CiJob
}

/**
 * The running job with this id and token. Throws 403 otherwise, whether or not there is such a job. If the job has ended, `Job-Status`
 * tells the holder of its token how; agents then stop.
 */
export async function requireRunningJob(app: App, { id, token }: { id: number; token: string | null | undefined }): Promise<RunningJob> {
  const found = token ? await jobWith(app.db, id, digestOf(token)) : null
  if (!found) throw forbidden()
  if (found.status.status !== 'running')
    throw new Failure('forbidden', '403 Forbidden - Job is not running', { headers: { 'job-status': found.status.status } })
  if (found.job.erased_at !== null) throw forbidden('Job has been erased!')
  return found
}

async function jobWith(db: Db, id: number, digest: string): Promise<RunningJob | null> {
  const job = await db.selectFrom('ci_jobs').selectAll().where('id', '=', id).where('token_digest', '=', digest).executeTakeFirst()
  const status = job && (await db.selectFrom('commit_statuses').selectAll().where('id', '=', id).executeTakeFirst())
  return job && status ? { job, status } : null
}
