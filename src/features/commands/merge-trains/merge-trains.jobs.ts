/** Background work of queues. */
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { type AnyJob, type Job, job } from '../../../queue/queue.ts'
import { mergeRequestById, paramsOf, strategyOf } from '../../review/merge-requests/merge-requests.ts'
import { advanceJob, roundJob } from './advance.jobs.ts'
import { carOf } from './cars.queries.ts'
import { pusherOf, verdictOn } from './checks.service.ts'
import { endTestJob, takeOut } from './leaving.service.ts'
import { addToTrain } from './trains.service.ts'

/** Asks whether a merge request may stay, after something about it or about who added it has changed. */
export const checkJob: Job<{ merge_request_id: number }> = job('merge_trains.check', {
  key: ({ merge_request_id }) => `merge train check ${merge_request_id}`,
  async handle(app, { merge_request_id }) {
    const car = await carOf(app.db, merge_request_id)
    if (!car || car.merged_at !== null) return
    const verdict = await verdictOn(app, car)
    if (verdict.kind === 'leaves') await takeOut(app, car, verdict.because)
  },
})

/** Adds what has waited for its own pipeline or its approvals. Obstacles are left to users, as for merges that happen by themselves. */
export const addWaitingJob: Job<{ merge_request_id: number }> = job('merge_trains.add_waiting', {
  async handle(app, { merge_request_id }) {
    const waiting = await mergeRequestById(app.db, merge_request_id)
    if (waiting?.state !== 'opened' || !waiting.merge_when_pipeline_succeeds || strategyOf(waiting) === 'merge_train') return
    const pusher = await pusherOf(app, { ...waiting, user_id: waiting.merge_user_id })
    if (!pusher) return
    await addToTrain(app, pusher, waiting, paramsOf(waiting)).catch((error: unknown) => ignoreRefusal(app, error))
  },
})

function ignoreRefusal(app: App, error: unknown): void {
  if (!(error instanceof Failure) || error.code === 'storage_full') throw error
  app.log.info({ err: error }, 'merge trains: not added')
}

export const mergeTrainJobs: AnyJob[] = [advanceJob, checkJob, addWaitingJob, roundJob, endTestJob]
