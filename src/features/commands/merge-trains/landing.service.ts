/** Merges what was tested: the target branch becomes exactly the commit whose pipeline has succeeded, by one push. */
import type { App } from '../../../app.ts'
import type { Tx } from '../../../db/database.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeTrainCar } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { oneAtATime } from '../../../limits/one-at-a-time.ts'
import { changeRefs, type Pusher } from '../../repository/pushes/pushes.ts'
import { paramsOf } from '../../review/merge-requests/merge-requests.ts'
import type { Mergeability } from '../../review/mergeability/mergeability.ts'
import {
  assertNotBlocked,
  assertStillApproved,
  assertStillChecked,
  assertStillDiscussed,
  closingBy,
  lockForMerge,
  notOpen,
  removesSourceOf,
  type UnderWay,
} from '../merging/merging.ts'
import { lockWaitingCar, updateCars } from './cars.queries.ts'
import { verdictOn } from './checks.service.ts'
import { takeOut } from './leaving.service.ts'

interface Landing {
  car: MergeTrainCar
  pusher: Pusher
  found: Mergeability
  underWay: UnderWay
}

/** Merges these as one; false if the queue has to wait. What is refused at the last moment leaves the queue, or is tested without it. */
export async function land(app: App, cars: readonly MergeTrainCar[]): Promise<boolean> {
  const [first, last] = [cars[0], cars.at(-1)]
  if (!first?.base_oid || !last?.merged_oid) return false
  const change = { ref: `refs/heads/${first.target_branch}`, before: first.base_oid, after: last.merged_oid }
  // As for merges at once: those into one branch wait for each other in this process, and between processes the update of the branch decides.
  return oneAtATime(`branch ${first.project_id} ${first.target_branch}`, async () => {
    const landings: Landing[] = []
    for (const car of cars) {
      const verdict = await verdictOn(app, car)
      if (verdict.kind === 'waits') return false
      if (verdict.kind === 'leaves') {
        await takeOut(app, car, verdict.because)
        return true
      }
      const { pusher, found } = verdict
      landings.push({ car, pusher, found, underWay: await underWayOf(app, car, verdict, change.after) })
    }
    const pusher = landings.at(-1)?.pusher as Pusher
    try {
      await changeRefs(app, pusher, [change], { is_merge: true, atOpening: (tx) => lockAll(tx, landings) })
    } catch (error) {
      return refused(app, cars, error)
    }
    return true
  })
}

async function underWayOf(
  app: App,
  car: MergeTrainCar,
  { pusher, found }: Pick<Landing, 'pusher' | 'found'>,
  tip_oid: string,
): Promise<UnderWay> {
  const { merge_request } = found
  const { issues } = await closingBy(app, pusher, merge_request)
  return {
    tip_oid,
    own_oid: car.merged_oid ?? tip_oid,
    is_queued: true,
    stacked_branch: car.stacked_branch,
    head_oid: car.head_oid,
    merge_commit_oid: car.merge_commit_oid,
    squash_commit_oid: car.squash_commit_oid,
    closes_issue_ids: issues.map(({ id }) => id),
    should_remove_source: await removesSourceOf(app, pusher, merge_request, paramsOf(merge_request)),
  }
}

/** In the transaction of the intent. Asks the rules again, and whether the queue is as it was when this was decided. */
async function lockAll(tx: Tx, landings: readonly Landing[]): Promise<void> {
  for (const { car, pusher, found, underWay } of landings) {
    const locked = await lockForMerge(tx, car.merge_request_id, underWay, car.target_branch)
    const waiting = await lockWaitingCar(tx, car.merge_request_id)
    if (waiting?.id !== car.id || waiting.merged_oid !== car.merged_oid || waiting.batch_id !== car.batch_id) throw notOpen()
    if (locked.head_oid !== car.head_oid || locked.draft) throw notOpen()
    await assertStillApproved(tx, pusher, locked, found.approvals)
    await assertNotBlocked(tx, locked)
    await assertStillChecked(tx, pusher, locked)
    await assertStillDiscussed(tx, pusher, locked)
    await updateCars(tx, [car.id], { status: 'merging', updated_at: now() })
  }
}

/**
 * Reacts to a refused push. A change in between needs nothing: the queue is read again. A branch rule that refuses the commits fails the
 * batch; other errors are thrown.
 */
async function refused(app: App, cars: readonly MergeTrainCar[], error: unknown): Promise<boolean> {
  if (!(error instanceof Failure)) throw error
  if (error.code === 'ref_moved' || error.code === 'method_not_allowed') return true
  if (error.code !== 'ref_denied' && error.code !== 'forbidden') throw error
  const failure = `the push to its target branch was refused: ${String(error.message).slice(0, 500)}`
  const ids = cars.map(({ id }) => id)
  await inTransaction(app.db, (tx) => updateCars(tx, ids, { failure, status: 'fresh', updated_at: now() }))
  return true
}
