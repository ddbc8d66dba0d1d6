/** Performs scheduled merges when their pipeline has succeeded, on behalf of the user who requested them. */

import { findProject } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { type Job, job } from '../../../queue/queue.ts'
import {
  isQueued,
  lockMergeRequest,
  type MergeParams,
  mergeRequestById,
  paramsOf,
  updateMergeRequest,
} from '../../review/merge-requests/merge-requests.ts'
import { headPipelineOf } from '../../review/mergeability/mergeability.ts'
import { unschedule } from './marking.ts'
import { mergeMergeRequest } from './merging.service.ts'

interface Waiting {
  merge_request_id: number
  /** The tip of its source branch whose pipeline has succeeded. */
  oid: string
}

/** Safe to repeat. Obstacles are left to users: the merge stays scheduled until the branch is pushed or someone merges it. */
export const mergeWaitingJob: Job<Waiting> = job('merge_requests.merge_waiting', {
  async handle(app, { merge_request_id, oid }) {
    const waiting = await mergeRequestById(app.db, merge_request_id)
    if (waiting?.state !== 'opened' || !waiting.merge_when_pipeline_succeeds || waiting.head_oid !== oid || isQueued(waiting)) return
    const pipeline = await headPipelineOf(app.db, waiting, oid)
    // Without a pipeline it waits for approvals alone.
    if (pipeline && pipeline.status !== 'success') return
    await mergeInTheirName(app, waiting, { ...paramsOf(waiting), sha: oid })
  },
})

const refusals = new Set(['method_not_allowed', 'not_acceptable', 'conflict'])

async function mergeInTheirName(app: App, waiting: MergeRequest, params: MergeParams): Promise<void> {
  const user = waiting.merge_user_id === null ? null : await userById(app.db, waiting.merge_user_id)
  const access = user && (await findProject(app.db, String(waiting.project_id), user).catch(nullIfMissing))
  const isAllowed = user && mayAct(user) && access !== null && canSeeMergeRequests(access, user)
  if (!isAllowed) return giveUp(app, waiting)
  if (access.project.merge_trains_enabled) return leaveToTrain(app, waiting, user.id)
  await mergeMergeRequest(app, { user, ...access }, waiting, params).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'unauthorized') return giveUp(app, waiting)
    if (!refusals.has(error.code)) throw error
  })
}

/** In a project with a merge queue, a merge request that became ready enters the queue instead. */
async function leaveToTrain(app: App, merge_request: MergeRequest, actor_id: number): Promise<void> {
  await inTransaction(app.db, (tx) => publish(tx, { type: 'merge_request_ready', merge_request, actor_id, at: now() }))
}

/** The user who requested it may no longer merge it. */
async function giveUp(app: App, { id, merge_user_id, author_id }: MergeRequest): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const locked = await lockMergeRequest(tx, id)
    if (locked?.state !== 'opened' || locked.merge_user_id !== merge_user_id) return
    await unschedule(tx, locked, merge_user_id ?? author_id, 'canceled')
    await updateMergeRequest(tx, id, { merge_error: 'Who set it to merge automatically is no longer allowed to merge it' })
  })
}
