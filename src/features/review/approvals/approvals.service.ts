/** Rules of approvals: who may approve a merge request, and which events are published. */
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
import { approvalFactsOf, approvalSettingsOf, type GitFacts, gitFactsOf, type RequestFacts } from '../approval-rules/approval-rules.ts'
import { lockMergeRequest } from '../merge-requests/merge-requests.ts'
import { currentVersion } from '../versions/versions.ts'
import { deleteApproval, deleteApprovals, insertApproval } from './approvals.queries.ts'

/**
 * Used when git isn't asked. Then code owners may seem unable to approve, and barred committers able to, though their approval won't count.
 */
const unknownToGit: GitFacts = { committers: [], owners: [] }

/** Whether a user may approve it: members who may edit it, while it is open. */
export function mayApprove(
  access: Pick<ProjectAccess, 'level'>,
  merge_request: MergeRequest,
  assigneeIds: number[],
  viewer: Viewer,
): boolean {
  return isMember(access.level) && merge_request.state === 'opened' && canUpdateMergeRequest(access, merge_request, assigneeIds, viewer)
}

/**
 * As `mayApprove`, but reads the assignees if it depends on them. Rules that require approvals also let those approve whom they name, and
 * bar the author, as the settings say.
 * @param needed what the rules require, if it is known
 */
export async function canApprove(
  db: Db,
  { project, level }: ProjectAccess,
  merge_request: MergeRequest,
  viewer: Viewer,
  needed?: RequestFacts,
): Promise<boolean> {
  if (merge_request.state !== 'opened' || viewer === null) return false
  const { state, facts } = needed ?? (await approvalFactsOf(db, project, merge_request, unknownToGit))
  if (state.required > 0 && facts.barred.has(viewer.id)) return false
  if (mayApprove({ level }, merge_request, [], viewer) || state.rules.some(({ eligible }) => eligible.includes(viewer.id))) return true
  return mayApprove({ level }, merge_request, await peopleIds(db, 'merge_request_assignees', merge_request.id), viewer)
}

export interface Approving {
  /** The head that the user has seen. */
  sha?: string | null
  /** Whether the user has shown who they are just now, where the project asks for it. */
  isProven?: boolean
  /** Git's facts about the approved version. */
  git?: GitFacts
  at?: Instant
}

/**
 * Approves a merge request. Throws 403 if the user may not; 401, which clients expect, if they have already approved it, or have yet to show
 * who they are; 409 if `sha` is given and isn't its head; 404 if it was deleted meanwhile.
 */
export async function approveIn(
  tx: Tx,
  user: User,
  { project, level }: ProjectAccess,
  id: number,
  { sha = null, isProven = false, git = unknownToGit, at = now() }: Approving = {},
): Promise<MergeRequest> {
  const merge_request = await lockMergeRequest(tx, id)
  if (!merge_request) throw notFound('Merge Request')
  if (sha !== null && sha !== merge_request.head_oid)
    throw new Failure('conflict', `SHA does not match HEAD of source branch: ${merge_request.head_oid ?? ''}`)
  const needed = await approvalFactsOf(tx, project, merge_request, git)
  if (!(await canApprove(tx, { project, level }, merge_request, user, needed))) throw forbidden()
  if (needed.settings.require_password_to_approve && !isProven) throw unauthorized()
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

/** As `approveIn`, in its own transaction, for the newest version of its diff. */
export async function approve(
  app: App,
  user: User,
  access: ProjectAccess,
  known: MergeRequest,
  { sha, isProven }: Pick<Approving, 'sha' | 'isProven'>,
): Promise<MergeRequest> {
  const current = await currentVersion(app, known)
  const settings = await approvalSettingsOf(app.db, known.project_id)
  const git = await gitFactsOf(app, access.project, known, current?.version ?? null, settings)
  // An approval is of the version that its user has read, so a push in between must be read first.
  const seen = sha ?? current?.version.head_oid ?? null
  return inTransaction(app.db, (tx) => approveIn(tx, user, access, known.id, { sha: seen, isProven: isProven ?? false, git }))
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
