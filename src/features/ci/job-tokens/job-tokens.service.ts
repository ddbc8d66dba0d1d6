/** Authenticates the runner of a job: only while the job runs, and only with its token. */
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { jobWithToken, type RunningJob } from './job-tokens.queries.ts'

/**
 * The running job with this id and token. Throws 403 otherwise, whether or not there is such a job. If the job has ended, `Job-Status`
 * tells the holder of its token how; agents then stop.
 */
export async function requireRunningJob(app: App, { id, token }: { id: number; token: string | null | undefined }): Promise<RunningJob> {
  const found = token ? await jobWithToken(app.db, id, digestOf(token)) : null
  if (!found) throw forbidden()
  if (found.status.status !== 'running')
    throw new Failure('forbidden', '403 Forbidden - Job is not running', { headers: { 'job-status': found.status.status } })
  if (found.job.erased_at !== null) throw forbidden('Job has been erased!')
  return found
}
