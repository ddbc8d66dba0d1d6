/**
 * Keeps merge queues up to date: after moved branches, ended pipelines, and changes of their merge requests or of the users who added them.
 */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf } from '../../../git/refs/ref-updates.ts'
import { enqueue } from '../../../queue/queue.ts'
import { hasCompleted } from '../../ci/processing/processing.ts'
import { advanceSoon } from './advance.jobs.ts'
import { carOf, lockWaitingCar, trainsAmong, updateCars, waitingCars, waitingIn, waitingOf } from './cars.queries.ts'
import { dropCar } from './leaving.service.ts'
import { checkJob } from './merge-trains.jobs.ts'

/** A push to a target branch makes what was tested void, or completes a merge of the queue. */
export async function followTargets(tx: Tx, { project_id, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const branches = changes.flatMap(({ ref }) => branchOf(ref) ?? [])
  if (branches.length === 0) return
  for (const place of await trainsAmong(tx, project_id, branches)) await advanceSoon(tx, place)
}

/** The push of a merge did not happen: it is tried again. */
export async function resumeDropped(tx: Tx, { project_id, changes }: EventOf<'push_dropped'>): Promise<void> {
  const branches = changes.flatMap(({ ref }) => branchOf(ref) ?? [])
  if (branches.length === 0) return
  for (const place of await trainsAmong(tx, project_id, branches)) {
    const merging = (await waitingCars(tx, place)).filter(({ status }) => status === 'merging')
    await updateCars(
      tx,
      merging.map(({ id }) => id),
      { status: 'fresh', updated_at: now() },
    )
    await advanceSoon(tx, place)
  }
}

const trainRef = /^refs\/merge-requests\/[0-9]+\/train$/

export async function followTests(
  tx: Tx,
  { pipeline: { status, ref, merge_request_id } }: EventOf<'pipeline_status_changed'>,
): Promise<void> {
  if (!hasCompleted(status) || merge_request_id === null || !trainRef.test(ref)) return
  const car = await carOf(tx, merge_request_id)
  if (car?.merged_at === null) await advanceSoon(tx, car)
}

/** Its place goes with whatever ended it. */
export async function leaveTrain(
  tx: Tx,
  { merge_request }: EventOf<'merge_request_unqueued' | 'merge_request_closed' | 'merge_request_removed'>,
): Promise<void> {
  const car = await lockWaitingCar(tx, merge_request.id)
  if (!car) return
  await dropCar(tx, car, merge_request.iid)
  await advanceSoon(tx, car)
}

/** Merged by the queue, or past it: then what is behind is tested again. */
export async function arrive(tx: Tx, { merge_request, at, commit_oid }: EventOf<'merge_request_merged'>): Promise<void> {
  const car = await lockWaitingCar(tx, merge_request.id)
  if (!car) return
  const status = car.status === 'merging' && car.merged_oid === commit_oid ? 'merged' : 'skip_merged'
  await updateCars(tx, [car.id], { status, merged_at: at, updated_at: at })
  await advanceSoon(tx, car)
}

/** An approval may be gone, or it may have become a draft. */
export async function checkAgain(
  tx: Tx,
  {
    merge_request,
  }: EventOf<'merge_request_changed' | 'merge_request_unapproved' | 'merge_request_version_created' | 'status_check_answered'>,
): Promise<void> {
  await checkIfWaiting(tx, merge_request.id)
}

/** A discussion may have begun that has to be resolved. */
export async function checkDiscussed(tx: Tx, { noteable }: EventOf<'note_created' | 'note_changed'>): Promise<void> {
  if (noteable.kind === 'merge_request') await checkIfWaiting(tx, noteable.row.id)
}

async function checkIfWaiting(tx: Tx, merge_request_id: number): Promise<void> {
  if ((await carOf(tx, merge_request_id))?.merged_at === null) await enqueue(tx, checkJob, { merge_request_id })
}

/** Rules of the project, or of a group above, have changed. */
export async function checkWithNewRules(tx: Tx, { rule }: EventOf<'approval_rule_changed'>): Promise<void> {
  for (const merge_request_id of await waitingIn(tx, rule)) await enqueue(tx, checkJob, { merge_request_id })
}

/** A user who lost the right to act or to merge may have requests in queues: the job takes them out, as nothing is merged in their name. */
export async function checkThoseOf(tx: Tx, { user_id }: EventOf<'user_blocked' | 'member_removed' | 'member_changed'>): Promise<void> {
  for (const merge_request_id of await waitingOf(tx, user_id)) await enqueue(tx, checkJob, { merge_request_id })
}

/** The job adds a merge request that was only waiting to be ready for the queue. */
export function toAdd({ merge_request }: EventOf<'merge_request_ready'>): { merge_request_id: number } {
  return { merge_request_id: merge_request.id }
}
