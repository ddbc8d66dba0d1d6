/** Lets queues advance: by one job at a time for each branch, in whatever process. */
import type { Db } from '../../../db/database.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { advanceTrain } from './advance.service.ts'
import { type TrainPlace, trainsWaiting } from './cars.queries.ts'

const keyOf = ({ project_id, target_branch }: TrainPlace) => `merge train ${project_id} ${target_branch}`

/** Safe to repeat: each step is read from the rows. */
export const advanceJob: Job<TrainPlace> = job('merge_trains.advance', {
  lane: 'pipelines',
  key: keyOf,
  serial: keyOf,
  async handle(app, place, stopping) {
    if (await advanceTrain(app, place, stopping)) await advanceSoon(app.db, place)
  },
})

export function advanceSoon(db: Db, { project_id, target_branch }: TrainPlace): Promise<void> {
  return enqueue(db, advanceJob, { project_id, target_branch })
}

const minute_ms = 60_000

/** Looks at every queue: for pipelines that don't end in time, and for what nothing announced. */
export const roundJob: Job<null> = job('merge_trains.round', {
  every_ms: minute_ms,
  at_start: true,
  async handle(app) {
    for (const place of await trainsWaiting(app.db)) await advanceSoon(app.db, place)
  },
})
