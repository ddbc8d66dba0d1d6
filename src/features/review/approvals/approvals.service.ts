/** Rules of approvals: who may approve a merge request, and which events are published. Approvals never block a merge. */

import type { ProjectAccess } from '../../../access/find.ts'
import { isMember } from '../../../access/levels.ts'
import { canUpdateMergeRequest } from '../../../access/merge-requests.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, MergeRequest, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, notFound, unauthorized } from '../../../failure.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { lockMergeRequest } from '../merge-requests/merge-requests.ts'
import { deleteApproval, deleteApprovals, insertApproval } from './approvals.queries.ts'

/** Whether a user may approve it: members who may edit it, while it is open. */
export function mayApprove(
  access: Pick<ProjectAccess, 'level'>,
  merge_request: MergeRequest,
  assigneeIds: number[],
  viewer: Viewer,
): boolean {
  return isMember(access.level) && merge_request.state === 'opened' && canUpdateMergeRequest(access, merge_request, assigneeIds, viewer)
}

/** As `mayApprove`, but reads the assignees if it depends on them. */
export async function canApprove(
  db: Db,
  access: Pick<ProjectAccess, 'level'>,
  merge_request: MergeRequest,
  viewer: Viewer,
): Promise<boolean> {
  if (mayApprove(access, merge_request, [], viewer)) return true
  return mayApprove(access, merge_request, await peopleIds(db, 'merge_request_assignees', merge_request.id), viewer)
}

/**
 * Approves a merge request. Throws 403 if the user may not; 401, which clients expect, if they have already approved it; 409 if `sha` is
 * given and isn't its head; 404 if it was deleted meanwhile.
 */
export async function approveIn(
  tx: Tx,
  user: User,
  access: Pick<ProjectAccess, 'level'>,
  id: number,
  sha: string | null = null,
  at: Instant = now(),
): Promise<MergeRequest> {
  const merge_request = await lockMergeRequest(tx, id)
  if (!merge_request) throw notFound('Merge Request')
  if (sha !== null && sha !== merge_request.head_oid)
    throw new Failure('conflict', `SHA does not match HEAD of source branch: ${merge_request.head_oid ?? ''}`)
  if (!(await canApprove(tx, access, merge_request, user))) throw forbidden()
  if (!(await insertApproval(tx, id, user.id, at))) throw unauthorized()
  await publish(tx, { type: 'merge_request_approved', merge_request, actor_id: user.id, at })
  return merge_request
}

/** Revokes the user's approval. Throws 404 if there is none. */
export async function unapproveIn(tx: Tx, user: User, id: number, at: Instant = now()): Promise<MergeRequest> {
  const merge_request = await lockMergeRequest(tx, id)
  if (!merge_request) throw notFound('Merge Request')
  if (!(await deleteApproval(tx, id, user.id))) throw notFound()
  await publish(tx, { type: 'merge_request_unapproved', merge_request, actor_id: user.id, at })
  return merge_request
}

/** As `approveIn`, in its own transaction. */
export function approve(app: App, user: User, access: Pick<ProjectAccess, 'level'>, id: number, sha: string | null): Promise<MergeRequest> {
  return inTransaction(app.db, (tx) => approveIn(tx, user, access, id, sha))
}

/** As `unapproveIn`, in its own transaction. */
export function unapprove(app: App, user: User, id: number): Promise<MergeRequest> {
  return inTransaction(app.db, (tx) => unapproveIn(tx, user, id))
}

/** As `resetApprovalsIn`, in its own transaction. */
export function resetApprovals(app: App, id: number): Promise<void> {
  return inTransaction(app.db, (tx) => resetApprovalsIn(tx, id))
}

/** Removes all approvals. */
export async function resetApprovalsIn(tx: Tx, id: number): Promise<void> {
  await deleteApprovals(tx, id)
}
