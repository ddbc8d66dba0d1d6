/** Background work of processing. */
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, type Job, job } from '../../../queue/queue.ts'
import { playJob } from './asking.service.ts'
import { dropJobsOf } from './dropping.service.ts'
import { startNextOf } from './resources.service.ts'

/** Starts a delayed job when its time has come, unless someone has already started it. */
export const startDelayedJob: Job<{ job_id: number }> = job('pipelines.start_delayed', {
  key: ({ job_id }) => `start delayed ${job_id}`,
  handle: (app, { job_id }) => inTransaction(app.db, async (tx) => void (await playJob(tx, job_id, null))),
})

/** Starts the next job of a free resource group. */
export const startNextJob: Job<{ resource_group_id: number }> = job('pipelines.start_next', {
  key: ({ resource_group_id }) => `start next of ${resource_group_id}`,
  handle: (app, { resource_group_id }) => startNextOf(app, resource_group_id),
})

/** Fails what somebody started who is blocked now. */
export const dropJobsOfUser: Job<{ user_id: number }> = job('pipelines.drop_of_user', {
  handle: (app, { user_id }) => dropJobsOf(app, user_id),
})

export const processingJobs: AnyJob[] = [startDelayedJob, startNextJob, dropJobsOfUser]
