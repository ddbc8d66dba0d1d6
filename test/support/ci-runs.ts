/** Runs jobs as a runner would, without the protocol. */
import { inTransaction } from '../../src/db/database.ts'
import { endJob, takeJob } from '../../src/features/ci/processing/processing.ts'
import type { Forge } from './forge.ts'

async function aRunner({ app: { db } }: Forge): Promise<number> {
  const at = new Date().toISOString()
  const { id } = await db
    .insertInto('ci_runners')
    .values({ kind: 'instance', token_digest: `digest ${Math.random()}`, created_at: at, updated_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Takes the queued job of this name of the pipeline, and ends it. */
export async function runJob(forge: Forge, pipeline_id: number, name: string, status: 'success' | 'failed'): Promise<void> {
  const { db } = forge.app
  const { job_id } = await db
    .selectFrom('ci_queue')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_queue.job_id')
    .select('job_id')
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  const runner_id = await aRunner(forge)
  await inTransaction(db, (tx) => takeJob(tx, { job_id, runner_id, timeout_s: 60 }))
  await inTransaction(db, (tx) => endJob(tx, job_id, { status }))
}
