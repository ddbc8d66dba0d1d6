/** Adds merge requests to the queue of their target branch. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest, MergeTrainCar } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, invalid } from '../../../failure.ts'
import { mayMergeTo, type Pusher } from '../../repository/pushes/pushes.ts'
import {
  lockMergeRequest,
  type MergeParams,
  mergeRequestById,
  updateMergeRequest,
  waitingMerge,
} from '../../review/merge-requests/merge-requests.ts'
import { mergeabilityOf, type Obstacle, obstacleWords } from '../../review/mergeability/mergeability.ts'
import { lastOfBelow, mergeMergeRequest, notOpen, scheduleMerge } from '../merging/merging.ts'
import { advanceSoon } from './advance.jobs.ts'
import { carOf, insertCar, lockWaitingCar, positionOf, waitingByBranch } from './cars.queries.ts'

/** The limit of waiting merge requests for one branch. */
const maxWaiting = 1_000

/** Obstacles that others will remove: the request is added to the queue once they have gone. */
const awaited: ReadonlySet<Obstacle> = new Set(['not_approved', 'status_checks_must_pass', 'ci_must_pass', 'ci_still_running'])
/** Between the branches, as they are now: the queue finds out itself. */
const foundLater: ReadonlySet<Obstacle> = new Set(['unchecked', 'need_rebase'])

export type Added = { kind: 'added'; car: MergeTrainCar } | { kind: 'scheduled'; merge_request: MergeRequest }

/**
 * Adds it at the end, in the name of the user. With `merge_when_pipeline_succeeds` it is added once its own pipeline has succeeded and its
 * approvals are there. Throws 400 for an obstacle, 403 if they may not merge it, or the project has no queue, 409 if it waits already or the source is no longer at `sha`.
 */
export async function addToTrain(app: App, pusher: Pusher, known: MergeRequest, params: MergeParams): Promise<Added> {
  const { project } = pusher
  if (!(await mayMergeTo(app, pusher, known.target_branch))) throw forbidden()
  if (!project.merge_trains_enabled) throw forbidden()
  const found = await mergeabilityOf(app, known, project)
  const { version, source_oid } = found
  const obstacles = found.obstacles.filter((one) => !foundLater.has(one))
  const hard = obstacles.find((one) => !awaited.has(one))
  if (hard) throw invalid(`Failed to add: ${obstacleWords[hard].what}`)
  if (!version || source_oid !== version.head_oid || (params.sha !== undefined && params.sha !== version.head_oid))
    throw new Failure('conflict', `SHA does not match HEAD of source branch: ${source_oid}`)
  const [soft] = obstacles
  if (soft && params.merge_when_pipeline_succeeds !== true) throw invalid(`Failed to add: ${obstacleWords[soft].what}`)
  if (await carOf(app.db, known.id)) throw alreadyThere()
  if (soft) {
    const later = { ...params, auto_merge_strategy: 'add_to_merge_train_when_checks_pass' as const }
    return { kind: 'scheduled', merge_request: await scheduleMerge(app, pusher, found.merge_request, later) }
  }
  return { kind: 'added', car: await insert(app, pusher, found.merge_request, version.head_oid, params) }
}

/**
 * Adds a merge request of a stack behind the one below it, as long as that waits in a queue itself, and the pusher may merge to where that one
 * goes. False if it isn't added: it can't be merged there yet, or was not built on that one's commits.
 */
export async function addBehind(app: App, pusher: Pusher, known: MergeRequest, below: MergeRequest): Promise<boolean> {
  const place = await carOf(app.db, below.id)
  if (!place || place.merged_at !== null || (await carOf(app.db, known.id))) return false
  const { target_branch: into } = place
  const found = await mergeabilityOf(app, known, pusher.project, undefined, { into })
  const { merge_request, version, source_oid, target_oid } = found
  if (!version || source_oid !== version.head_oid || target_oid === null) return false
  if (!pusher.project.merge_trains_enabled || found.obstacles.some((one) => !foundLater.has(one))) return false
  const repo = app.git.open(known.project_id)
  const after_oid = await lastOfBelow(app, repo, { tip: version.head_oid, onto: target_oid }, below)
  if (after_oid === null) return false
  await insert(app, pusher, merge_request, version.head_oid, { is_behind: true }, { below_id: below.id, into, after_oid })
  return true
}

interface Behind {
  below_id: number
  /** The branch of the queue. */
  into: string
  /** The newest of its commits that the one below has. */
  after_oid: string
}

function insert(
  app: App,
  { user, project }: Pusher,
  { id }: MergeRequest,
  sha: string,
  params: MergeParams,
  behind: Behind | null = null,
): Promise<MergeTrainCar> {
  const { squash } = params
  return inTransaction(app.db, async (tx) => {
    // Before its own row, in the order in which a merge locks them.
    if (behind && (await lockWaitingCar(tx, behind.below_id))?.target_branch !== behind.into) throw notOpen()
    const locked = await lockMergeRequest(tx, id)
    if (locked?.state !== 'opened' || locked.head_oid !== sha) throw notOpen()
    if (await carOf(tx, id)) throw alreadyThere()
    const at = now()
    const target_branch = behind?.into ?? locked.target_branch
    const stacked_branch = behind && locked.target_branch
    const waiting = (await waitingByBranch(tx, project.id)).find((one) => one.target_branch === target_branch)?.waiting ?? 0
    if (waiting >= maxWaiting) throw invalid(`Failed to add: ${maxWaiting} merge requests wait in this merge train`)
    const asked = { ...waitingMerge({ ...params, auto_merge_strategy: 'merge_train' }, sha, user.id), merge_error: null }
    const merge_request = await updateMergeRequest(tx, id, squash === undefined ? asked : { ...asked, squash })
    const row = { project_id: project.id, merge_request_id: id, target_branch, stacked_branch, head_oid: sha, user_id: user.id }
    const car = await insertCar(tx, { ...row, after_oid: behind?.after_oid ?? null, created_at: at, updated_at: at })
    const position = await positionOf(tx, car)
    await publish(tx, { type: 'merge_request_queued', merge_request, actor_id: user.id, at, position })
    await advanceSoon(tx, car)
    return car
  })
}

function alreadyThere(): Failure {
  return new Failure('conflict', 'The merge request is in the merge train already')
}

/** Merges it, or adds it to the queue where the project has one and the merge may wait. */
export async function mergeOrAdd(app: App, pusher: Pusher, known: MergeRequest, params: MergeParams): Promise<MergeRequest> {
  const goesToTrain = pusher.project.merge_trains_enabled && params.merge_when_pipeline_succeeds === true
  if (!goesToTrain) return mergeMergeRequest(app, pusher, known, params)
  await addToTrain(app, pusher, known, params)
  return (await mergeRequestById(app.db, known.id)) ?? known
}
