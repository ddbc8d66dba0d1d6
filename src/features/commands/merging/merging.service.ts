/** Merges a merge request: checked, written by git without a working tree, and recorded with the push to the target branch. */
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, unauthorized } from '../../../failure.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { userKey } from '../../../limits/callers.ts'
import { oneAtATime } from '../../../limits/one-at-a-time.ts'
import { changeRefs, mayMergeTo, type Pusher } from '../../repository/pushes/pushes.ts'
import {
  lockMergeRequest,
  type MergeParams,
  mergeRequestById,
  updateMergeRequest,
  waitingMerge,
} from '../../review/merge-requests/merge-requests.ts'
import { headPipelineOf, isActive, type Mergeability, mergeabilityOf, type Obstacle } from '../../review/mergeability/mergeability.ts'
import { lockForMerge, notOpen, unschedule } from './marking.ts'
import { removeSource } from './removal.jobs.ts'
import {
  assertNotBlocked,
  assertStillApproved,
  assertStillChecked,
  closingBy,
  isSquashed,
  removesSourceOf,
  writeMergeOf,
} from './writing.service.ts'

/** Attempts on a busy branch, on which other pushes keep coming first. */
const maxTries = 10

/**
 * Merges, or schedules the merge for when its pipeline succeeds. Throws 401 if the user may not merge into the target branch, 405 for an
 * obstacle that can't be overridden, 406 for a conflict or a required rebase, 409 if the source is no longer at `sha`.
 */
export async function mergeMergeRequest(app: App, pusher: Pusher, known: MergeRequest, params: MergeParams): Promise<MergeRequest> {
  if (!(await mayMergeTo(app, pusher, known.target_branch))) throw unauthorized()
  if (!mayPassTrain(pusher)) throw notOpen()
  const repo = countedFor(app.git.open(known.project_id), userKey(pusher.user))
  // Concurrent merges into one branch would make all but one start again, so they are serialized here. Between processes, the update of the
  // branch decides.
  const { merge_request, removesSource } = await oneAtATime(`branch ${known.project_id} ${known.target_branch}`, async () => {
    for (let tries = 1; ; tries += 1) {
      const current = await mergeRequestById(app.db, known.id)
      if (!current) throw notOpen()
      try {
        return await tryOnce(app, repo, pusher, current, params)
      } catch (error) {
        // Another push to the target branch came first.
        if (!(error instanceof Failure && error.code === 'ref_moved') || tries === maxTries) throw await withError(app, known.id, error)
      }
    }
  })
  if (removesSource) await removeSourceNow(app, merge_request.id)
  return (await mergeRequestById(app.db, known.id)) ?? merge_request
}

/** In a project with a merge queue, only maintainers may merge past it, unless the project allows it to all who may merge. */
export function mayPassTrain({ project, level }: Pick<Pusher, 'project' | 'level'>): boolean {
  return !project.merge_trains_enabled || project.merge_trains_skip_train_allowed || may('pass_merge_train', level)
}

/** The obstacles that scheduling the merge overcomes. */
const awaited: ReadonlySet<Obstacle> = new Set([
  'not_approved',
  'merge_request_blocked',
  'status_checks_must_pass',
  'ci_must_pass',
  'ci_still_running',
])
/** Obstacles that only other people or systems can remove. */
const ofOthers: ReadonlySet<Obstacle> = new Set(['not_approved', 'merge_request_blocked', 'status_checks_must_pass'])
const ofBranches: ReadonlySet<Obstacle> = new Set(['conflict', 'need_rebase', 'unchecked'])

interface Done {
  merge_request: MergeRequest
  removesSource: boolean
}

async function tryOnce(app: App, repo: Repo, pusher: Pusher, known: MergeRequest, params: MergeParams): Promise<Done> {
  const found = await mergeabilityOf(app, known, pusher.project, repo, { writesTree: true })
  const isWaiting = params.merge_when_pipeline_succeeds === true
  const obstacles = found.obstacles.filter((obstacle) => !(isWaiting && awaited.has(obstacle)))
  if (obstacles.some((obstacle) => !ofBranches.has(obstacle))) throw notOpen()
  if (obstacles.length > 0) throw new Failure('not_acceptable', 'Branch cannot be merged')
  const { version, source_oid, target_oid } = found
  if (!version || !target_oid) throw notOpen()
  const head_oid = version.head_oid
  const isStale = params.sha !== undefined && params.sha !== head_oid
  if (isStale || source_oid !== head_oid) throw new Failure('conflict', `SHA does not match HEAD of source branch: ${source_oid}`)
  const merge_request = await noteSquash(app, found.merge_request, params.squash)
  if (isWaiting) {
    const pipeline = await headPipelineOf(app.db, merge_request, head_oid)
    const awaitsOthers = found.obstacles.some((obstacle) => ofOthers.has(obstacle)) && !found.obstacles.includes('ci_must_pass')
    if (awaitsOthers || (pipeline && isActive(pipeline)))
      return { merge_request: await scheduleMerge(app, pusher, merge_request, params), removesSource: false }
    if (found.obstacles.length > 0) throw notOpen()
  }
  return mergeNow(app, repo, pusher, { ...found, merge_request }, params, { head_oid, target_oid })
}

async function noteSquash(app: App, merge_request: MergeRequest, squash: boolean | undefined): Promise<MergeRequest> {
  if (squash === undefined || squash === merge_request.squash) return merge_request
  return inTransaction(app.db, (tx) => updateMergeRequest(tx, merge_request.id, { squash }))
}

/** Schedules the merge, or its place in a queue, for when the pipeline of its newest commit succeeds, with its options. */
export function scheduleMerge(app: App, { user }: Pusher, { id, head_oid: sha }: MergeRequest, params: MergeParams): Promise<MergeRequest> {
  return inTransaction(app.db, async (tx) => {
    const locked = await lockMergeRequest(tx, id)
    if (locked?.state !== 'opened' || sha === null || locked.head_oid !== sha) throw notOpen()
    const merge_request = await updateMergeRequest(tx, id, waitingMerge(params, sha, user.id))
    const is_update = locked.merge_when_pipeline_succeeds
    await publish(tx, { type: 'merge_request_merge_scheduled', merge_request, actor_id: user.id, at: now(), oid: sha, is_update })
    return merge_request
  })
}

async function mergeNow(
  app: App,
  repo: Repo,
  pusher: Pusher,
  { merge_request, version, obstacles, approvals, tree }: Mergeability,
  params: MergeParams,
  { head_oid, target_oid }: { head_oid: string; target_oid: string },
): Promise<Done> {
  const { commits, issues } = await closingBy(app, pusher, merge_request)
  const written = await writeMergeOf(app, repo, pusher, {
    ...{ merge_request, commits, issues, params, tree },
    sides: { ours: target_oid, theirs: head_oid },
    isForward: !obstacles.includes('need_rebase'),
    isSquashed: isSquashed(merge_request, version, pusher),
  })
  if (!written) throw new Failure('not_acceptable', 'Branch cannot be merged')
  const should_remove_source = await removesSourceOf(app, pusher, merge_request, params)
  const underWay = { ...written, head_oid, closes_issue_ids: issues.map(({ id }) => id), should_remove_source }
  const change = { ref: `refs/heads/${merge_request.target_branch}`, before: target_oid, after: written.tip_oid }
  const atOpening = async (tx: Tx) => {
    const locked = await lockForMerge(tx, merge_request.id, underWay, merge_request.target_branch)
    await assertStillApproved(tx, pusher, locked, approvals)
    await assertNotBlocked(tx, locked)
    await assertStillChecked(tx, pusher, locked)
  }
  await changeRefs(app, pusher, [change], { is_merge: true, atOpening })
  return { merge_request: (await mergeRequestById(app.db, merge_request.id)) ?? merge_request, removesSource: should_remove_source }
}

/** Stores the error, for users who view the merge request. Refusals are only for the caller. */
async function withError(app: App, id: number, error: unknown): Promise<unknown> {
  const isRefusal = error instanceof Failure && ['method_not_allowed', 'not_acceptable', 'conflict'].includes(error.code)
  if (!isRefusal) {
    const merge_error = error instanceof Failure ? error.message : 'Something went wrong during merge'
    await inTransaction(app.db, (tx) => updateMergeRequest(tx, id, { merge_error })).catch((second: unknown) =>
      app.log.warn({ err: second, merge_request: id }, 'merging: error not kept'),
    )
  }
  return error
}

/** The merge is done even if removing the branch fails; the job retries that. */
async function removeSourceNow(app: App, id: number): Promise<void> {
  await removeSource(app, id).catch((error: unknown) =>
    app.log.warn({ err: error, merge_request: id }, 'merging: source branch not removed'),
  )
}

/** Cancels the automatic merge. Throws 401 if the user may neither merge it nor is its author, 406 if none is scheduled. */
export async function cancelMerge(app: App, pusher: Pusher, known: MergeRequest): Promise<MergeRequest> {
  const isOwn = known.author_id === pusher.user.id
  if (!isOwn && !(await mayMergeTo(app, pusher, known.target_branch))) throw unauthorized()
  return inTransaction(app.db, async (tx) => {
    const locked = await lockMergeRequest(tx, known.id)
    if (locked?.state !== 'opened' || !locked.merge_when_pipeline_succeeds)
      throw new Failure('not_acceptable', "Can't cancel the automatic merge")
    return unschedule(tx, locked, pusher.user.id, 'canceled')
  })
}
