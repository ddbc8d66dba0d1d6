/** Fails what somebody started who may act no more. */
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { proceed } from './advance.service.ts'
import { cancelable, isCancelable } from './canceling.ts'
import { moveJobs } from './moving.ts'
import { jobsOfAuthor, liveStatuses, lockPipeline, pipelinesOfAuthor } from './processing.queries.ts'

/**
 * Fails the unfinished jobs of a user who is blocked, one pipeline after another: their tokens end, and their runners abort them. Manual jobs
 * stay, as others may start them.
 */
export async function dropJobsOf(app: App, user_id: number): Promise<void> {
  for (const pipeline_id of await pipelinesOfAuthor(app.db, user_id, cancelable)) {
    const user = await userById(app.db, user_id)
    if (user && mayAct(user)) return
    await inTransaction(app.db, (tx) => dropIn(tx, pipeline_id, user_id))
  }
}

async function dropIn(tx: Tx, pipeline_id: number, user_id: number): Promise<void> {
  const pipeline = await lockPipeline(tx, pipeline_id)
  if (!pipeline) return
  const own = new Set(await jobsOfAuthor(tx, pipeline_id, user_id))
  const open = (await liveStatuses(tx, pipeline_id)).filter((job) => own.has(job.id) && isCancelable(job))
  await moveJobs(tx, pipeline, open, 'failed', { failure_reason: 'user_blocked' })
  await proceed(tx, pipeline)
}
