/** Background work: adds the next request of a stack to the queue of the one below it, or merges it once that has been merged. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { MergeRequest, StackedMerge } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { changeMergeRequestIn, isQueuedBehind, mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { mergeabilityOf, type Obstacle, obstacleWords } from '../../review/mergeability/mergeability.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { addBehind, carOf, clauseOf, mergeOrAdd, pusherOf } from '../merge-trains/merge-trains.ts'
import { isProposed, restack, scheduleMerge } from '../merging/merging.ts'
import { isAsAsked, leaveStack } from './leaving.service.ts'
import { deleteStackedMerge, stackedMergeOf, stackedMergesAt } from './stack-merges.queries.ts'

/** Safe to repeat: each of its parts is left out where it was done. */
export const mergeStackedJob: Job<{ merge_request_id: number }> = job('merge_requests.merge_stacked', {
  key: ({ merge_request_id }) => `stacked merge ${merge_request_id}`,
  async handle(app, { merge_request_id }) {
    const waiting = await stackedMergeOf(app.db, merge_request_id)
    const below = waiting && (await mergeRequestById(app.db, waiting.below_id))
    if (!waiting || !below) return
    if (below.state !== 'merged') return enterBehind(app, waiting, below)
    const known = await mergeRequestById(app.db, merge_request_id)
    // The queue tests and merges it on top of the one below, so it needs no rebase.
    if (known && isQueuedBehind(known)) return
    const because = await advance(app, waiting, below)
    await inTransaction(app.db, async (tx) => {
      if (because === null) await deleteStackedMerge(tx, merge_request_id)
      else await leaveStack(tx, merge_request_id, waiting.user_id, because)
    })
  },
})

/** Retries the merge requests directly above: now that this one is in a queue, they can get a place behind it. */
export async function followLater(tx: Tx, { id }: Pick<MergeRequest, 'id'>): Promise<void> {
  for (const { merge_request_id, below_id } of await stackedMergesAt(tx, id))
    if (below_id === id) await enqueue(tx, mergeStackedJob, { merge_request_id })
}

/** Acts for the user who merges the stack. After a refusal it is retried when that may have changed, at the latest once it is next. */
async function enterBehind(app: App, { merge_request_id: id, user_id }: StackedMerge, below: MergeRequest): Promise<void> {
  const place = await carOf(app.db, below.id)
  const known = place && (await asAsked(app, id))
  if (!place || known?.state !== 'opened' || known.merge_when_pipeline_succeeds) return
  const pusher = await pusherOf(app, { ...place, user_id })
  if (pusher) await addBehind(app, pusher, known, below).catch((error: unknown) => ignoreRefusal(app, error, id))
}

function ignoreRefusal(app: App, error: unknown, merge_request: number): void {
  if (!(error instanceof Failure) || error.code === 'storage_full') throw error
  app.log.info({ err: error, merge_request }, 'stack: not merged')
}

/** Retargets one that has left the queue to where the one below it was merged, as it would be without a queue. Safe to repeat. */
export const followBelowJob: Job<Omit<StackedMerge, 'head_oid' | 'rebased_oid' | 'created_at'>> = job('merge_requests.follow_below', {
  async handle(app, { merge_request_id, below_id, user_id }) {
    const below = await mergeRequestById(app.db, below_id)
    const known = await mergeRequestById(app.db, merge_request_id)
    if (below?.state !== 'merged' || known?.state !== 'opened' || isQueuedBehind(known)) return
    const pusher = await pusherOf(app, { ...below, user_id })
    if (pusher && (await retargetOnto(app, pusher, known, below)) === null) await restack(app, merge_request_id, below)
  },
})

const notAllowed = 'who merges the stack is no longer allowed to'
const updated = 'its source branch was updated'

/** Retargets, rebases where that is needed, and merges it. Returns why it can't be merged; null if it is, or is going to be. */
async function advance(app: App, { merge_request_id: id, user_id }: StackedMerge, below: MergeRequest): Promise<string | null> {
  const { project_id, target_branch } = below
  const pusher = await pusherOf(app, { user_id, project_id, target_branch })
  if (!pusher) return notAllowed
  const before = await asAsked(app, id)
  if (!before) return updated
  // It is being merged already.
  if (before.state === 'locked' || before.state === 'merged') return null
  if (before.state !== 'opened') return 'it is not open'
  const obstacle = await retargetOnto(app, pusher, before, below)
  if (obstacle !== null) return obstacle
  if (!(await restack(app, id, below))) return `it could not be rebased after !${below.iid} was merged`
  const merge_request = await asAsked(app, id)
  if (!merge_request) return updated
  return merge_request.merge_when_pipeline_succeeds ? null : mergeInTurn(app, pusher, merge_request)
}

/** The merge request, if its commits are those that were to be merged. */
async function asAsked(app: App, id: number): Promise<MergeRequest | null> {
  const known = await mergeRequestById(app.db, id)
  const current = known && (await currentVersion(app, known))
  // Read after its version: whatever has rebased it has noted that together.
  const waiting = await stackedMergeOf(app.db, id)
  return current && waiting && isAsAsked(waiting, current.merge_request.head_oid) ? current.merge_request : null
}

/** Obstacles that can go away without another push: a stack waits for these, and ends at any other. */
const awaited: ReadonlySet<Obstacle> = new Set([
  ...(['not_approved', 'status_checks_must_pass', 'merge_request_blocked'] as const),
  ...(['ci_must_pass', 'ci_still_running', 'unchecked'] as const),
])

/** At once, by the queue, or when what it waits for has come: after a rebase its pipeline has only begun. */
async function mergeInTurn(app: App, pusher: Pusher, merge_request: MergeRequest): Promise<string | null> {
  const { obstacles } = await mergeabilityOf(app, merge_request, pusher.project)
  const { merge_trains_enabled } = pusher.project
  const obstacle = obstacles.find((one) => !awaited.has(one) && !(merge_trains_enabled && one === 'need_rebase'))
  if (obstacle) return clauseOf(obstacleWords[obstacle].what)
  const params = { merge_when_pipeline_succeeds: true, sha: merge_request.head_oid ?? undefined }
  try {
    if (merge_trains_enabled || obstacles.length === 0) await mergeOrAdd(app, pusher, merge_request, params)
    else await scheduleMerge(app, pusher, merge_request, params)
    return null
  } catch (error) {
    ignoreRefusal(app, error, merge_request.id)
    return error instanceof Failure && (error.code === 'unauthorized' || error.code === 'forbidden')
      ? notAllowed
      : 'something keeps it from being merged'
  }
}

/** To where the one below went, whether or not its branch is gone. Returns why that is impossible, or null. */
async function retargetOnto(app: App, pusher: Pusher, known: MergeRequest, below: MergeRequest): Promise<string | null> {
  const { target_branch } = below
  if (known.target_branch === target_branch) return null
  if (known.target_branch !== below.source_branch) return 'its target branch was changed'
  if (await isProposed(app.db, { ...known, target_branch })) return 'another merge request proposes the same'
  await inTransaction(app.db, (tx) => changeMergeRequestIn(tx, pusher, known.id, { target_branch }))
  return null
}
