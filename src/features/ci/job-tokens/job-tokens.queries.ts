/** SQL for the job of a token. */
import type { Db } from '../../../db/database.ts'
import type { CiJob, CommitStatus } from '../../../db/tables.ts'

export interface RunningJob {
  status: CommitStatus
  job: CiJob
}

/** The job with this id and the digest of its token, whether or not it still runs. */
export async function jobWithToken(db: Db, id: number, digest: string): Promise<RunningJob | null> {
  const job = await db.selectFrom('ci_jobs').selectAll().where('id', '=', id).where('token_digest', '=', digest).executeTakeFirst()
  const status = job && (await db.selectFrom('commit_statuses').selectAll().where('id', '=', id).executeTakeFirst())
  return job && status ? { job, status } : null
}
