/** How merge requests leave a queue without being merged, and how tests end that nobody needs. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeTrainCar } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { mergeRequestTrainRef, setServiceRefs } from '../../../git/refs/service-refs.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { cancelPipeline } from '../../ci/processing/processing.ts'
import { lockMergeRequest, mergeRequestByIid, noWaitingMerge, updateMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { carOf, deleteCar, lockWaitingCar } from './cars.queries.ts'

/** The automatic end of its place, with a note and to-do items that say why. */
export async function takeOut(app: App, car: MergeTrainCar, because: string): Promise<void> {
  await inTransaction(app.db, (tx) => takeOutIn(tx, car, because))
}

/** `takeOut` for callers with a transaction of their own. Does nothing if it has left, or is being merged. */
export async function takeOutIn(tx: Tx, { merge_request_id, user_id, id }: MergeTrainCar, because: string): Promise<void> {
  const locked = await lockMergeRequest(tx, merge_request_id)
  const car = locked && (await lockWaitingCar(tx, merge_request_id))
  if (!car || car.id !== id || locked.state === 'locked' || locked.state === 'merged') return
  const merge_request = await updateMergeRequest(tx, merge_request_id, noWaitingMerge)
  const actor_id = user_id ?? locked.author_id
  await publish(tx, { type: 'merge_request_unqueued', merge_request, actor_id, at: now(), because })
}

/** Removes its car, whatever ended its place: its test is void. */
export async function dropCar(tx: Tx, car: MergeTrainCar, iid: number): Promise<void> {
  const { id, project_id, pipeline_id } = car
  await deleteCar(tx, id)
  await enqueue(tx, endTestJob, { project_id, pipeline_id, iid })
}

interface Left {
  project_id: number
  pipeline_id: number | null
  /** The number of a merge request that has left; null if only its test is void. */
  iid: number | null
}

/** Cancels a pipeline that tests what won't be merged, and removes the ref of the result. Safe to repeat. */
export const endTestJob: Job<Left> = job('merge_trains.end_test', {
  async handle(app, { project_id, pipeline_id, iid }) {
    if (pipeline_id !== null) await inTransaction(app.db, (tx) => cancelPipeline(tx, pipeline_id))
    const merge_request = iid === null ? null : await mergeRequestByIid(app.db, project_id, iid)
    // It may have got another place meanwhile.
    if (!merge_request || (await carOf(app.db, merge_request.id))) return
    await setServiceRefs(app.git.open(project_id), new Map([[mergeRequestTrainRef(merge_request.iid), null]]))
  },
})
