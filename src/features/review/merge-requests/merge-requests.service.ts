/** Rules of merge requests: valid values, and which events are published. Git is not used here. */
import type { ProjectAccess } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import type { Viewer } from '../../../access/visible.ts'
import { type Db, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, MergeRequest } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, notFound } from '../../../failure.ts'
import {
  type Actor,
  addCommon,
  assertTexts,
  type CommonChange,
  changedFields,
  commonDifferences,
  differenceOf,
  editedBy,
  hasChanged,
  hasDifferences,
  peopleIds,
  removePeople,
  unchanged,
  writeDifferences,
} from '../../planning/issuables/issuables.ts'
import { nextNumber, noteNumber } from '../../spaces/numbering/numbering.ts'
import { isDraft } from './drafts.ts'
import {
  addReviewers,
  deleteMergeRequest,
  insertMergeRequest,
  lockMergeRequest,
  openBetween,
  shownMergeRequest,
  updateMergeRequest,
} from './merge-requests.queries.ts'

/** The columns that can be set; whoever parses a request must check ids and branches. */
export interface MergeRequestFields {
  title: string
  description: string | null
  target_branch: string
  discussion_locked: boolean | null
  milestone_id: number | null
  allow_collaboration: boolean
  squash: boolean
  force_remove_source_branch: boolean
  time_estimate: number
}

type SomeFields = { [F in keyof MergeRequestFields]?: MergeRequestFields[F] | undefined }

export interface NewMergeRequest extends SomeFields {
  title: string
  source_project_id: number
  source_branch: string
  target_branch: string
  /** The tip of the source branch, whose commits must be in the repository of the target. */
  head_oid: string
  assignee_ids?: number[] | undefined
  reviewer_ids?: number[] | undefined
  label_ids?: number[] | undefined
  created_at?: Instant | undefined
  /** The next number by default; only some callers may choose it. */
  iid?: number | undefined
}

/** Fields that aren't given are kept. */
export interface MergeRequestChange extends SomeFields, CommonChange {
  reviewer_ids?: number[] | undefined
}

/** Throws 404 if the caller can't see it, whether or not it exists. */
export async function findMergeRequest(db: Db, access: ProjectAccess, iid: number, viewer: Viewer): Promise<MergeRequest> {
  const found = canSeeMergeRequests(access, viewer) ? await shownMergeRequest(db, access.project.id, iid, viewer) : null
  if (!found) throw notFound('Merge Request')
  return found
}

/**
 * Creates a merge request, with everything that follows from it. Throws 400 for an invalid field, 409 if one is already open between these
 * branches.
 */
export async function createMergeRequestIn(tx: Tx, actor: Actor, request: NewMergeRequest): Promise<MergeRequest> {
  const { user, project } = actor
  const at = now()
  const { assignee_ids = [], reviewer_ids = [], label_ids = [], iid, created_at = at, source_project_id, source_branch, head_oid } = request
  assertTexts(request)
  await assertSingle(tx, { ...request, project_id: project.id })
  if (iid !== undefined) await noteNumber(tx, { project_id: project.id }, 'merge_request', iid)
  const title = request.title.trim()
  const row = {
    iid: iid ?? (await nextNumber(tx, { project_id: project.id }, 'merge_request')),
    project_id: project.id,
    source_project_id,
    source_branch,
    target_branch: request.target_branch,
    head_oid,
    author_id: user.id,
    title,
    draft: isDraft(title),
    description: request.description ?? null,
    discussion_locked: request.discussion_locked ?? null,
    milestone_id: request.milestone_id ?? null,
    allow_collaboration: request.allow_collaboration ?? false,
    squash: request.squash ?? false,
    force_remove_source_branch: request.force_remove_source_branch ?? false,
    time_estimate: request.time_estimate ?? 0,
    created_at,
    updated_at: created_at,
  }
  const merge_request = await insertMergeRequest(tx, row).catch(refuseSecond)
  await addCommon(tx, 'merge_request', merge_request.id, { assignee_ids, label_ids })
  await addReviewers(tx, merge_request.id, reviewer_ids, at)
  const with_ids = { assignee_ids, reviewer_ids, label_ids }
  await publish(tx, { type: 'merge_request_created', merge_request, actor_id: user.id, actor, at, ...with_ids })
  return merge_request
}

/**
 * Changes the given fields, with everything that follows from it; unchanged values have no consequences. Throws 400, 404 if it was deleted,
 * 409.
 */
export async function changeMergeRequestIn(
  tx: Tx,
  actor: Actor,
  id: number,
  change: MergeRequestChange,
  at: Instant = now(),
): Promise<MergeRequest> {
  const before = await lockMergeRequest(tx, id)
  if (!before) throw notFound('Merge Request')
  const { assignee_ids: _, label_ids: __, time: ___, reviewer_ids, state, ...sent } = change
  assertTexts(sent)
  // During and after a merge the target branch can't be changed: the merge is completed by it.
  const isMovable = before.state === 'opened' || before.state === 'closed'
  const fields = changedFields<MergeRequestFields>(before, isMovable ? sent : { ...sent, target_branch: undefined })
  if (fields.target_branch !== undefined) await assertSingle(tx, { ...before, ...fields }, id)
  const differences = await commonDifferences(tx, actor, { kind: 'merge_request', row: before }, change, at)
  const reviewers = reviewer_ids ? differenceOf(await peopleIds(tx, 'merge_request_reviewers', id), reviewer_ids) : unchanged
  let merge_request = before
  if (Object.keys(fields).length > 0 || hasDifferences(differences) || hasChanged(reviewers)) {
    await writeDifferences(tx, 'merge_request', id, differences)
    await addReviewers(tx, id, reviewers.added, at)
    await removePeople(tx, 'merge_request_reviewers', id, reviewers.removed)
    const { total_time_spent, ...told } = differences
    const draft = isDraft(fields.title ?? before.title)
    const row = { ...fields, ...editedBy(actor, fields, at), draft, total_time_spent, updated_at: at }
    merge_request = await updateMergeRequest(tx, id, row).catch(refuseSecond)
    await publish(tx, { type: 'merge_request_changed', before, merge_request, actor_id: actor.user.id, at, ...told, reviewers })
  }
  if (state === 'closed') return closeMergeRequestIn(tx, actor.user.id, merge_request, at)
  if (state === 'opened') return reopenMergeRequestIn(tx, actor.user.id, merge_request, at)
  return merge_request
}

/** Closes an open merge request; does nothing in other states. */
export async function closeMergeRequestIn(
  tx: Tx,
  actor_id: number,
  { id, ...known }: MergeRequest,
  at: Instant = now(),
): Promise<MergeRequest> {
  if (known.state !== 'opened') return { id, ...known }
  const merge_request = await updateMergeRequest(tx, id, {
    state: 'closed',
    closed_at: at,
    closed_by_id: actor_id,
    merge_when_pipeline_succeeds: false,
    updated_at: at,
  })
  await publish(tx, { type: 'merge_request_closed', merge_request, actor_id, at })
  return merge_request
}

/** Reopens a closed one; does nothing in other states. Throws 409 if another one is open between these branches. */
export async function reopenMergeRequestIn(tx: Tx, actor_id: number, closed: MergeRequest, at: Instant = now()): Promise<MergeRequest> {
  if (closed.state !== 'closed') return closed
  await assertSingle(tx, closed, closed.id)
  const merge_request = await updateMergeRequest(tx, closed.id, {
    state: 'opened',
    closed_at: null,
    closed_by_id: null,
    merge_status: 'unchecked',
    updated_at: at,
  }).catch(refuseSecond)
  await publish(tx, { type: 'merge_request_reopened', merge_request, actor_id, at })
  return merge_request
}

/** Deletes a merge request with everything that belongs to it. */
export async function removeMergeRequestIn(tx: Tx, actor_id: number, id: number): Promise<void> {
  const merge_request = await lockMergeRequest(tx, id)
  if (!merge_request) throw notFound('Merge Request')
  await publish(tx, { type: 'merge_request_removed', merge_request, actor_id, at: now() })
  await deleteMergeRequest(tx, id)
}

async function assertSingle(tx: Tx, branches: Parameters<typeof openBetween>[1], exceptId?: number): Promise<void> {
  const open = await openBetween(tx, branches, exceptId)
  if (open) throw alreadyOpen(null, open)
}

/** Another one was opened between these branches since they were checked. SQLite names the columns, PostgreSQL the index. */
function refuseSecond(error: unknown): never {
  const isSecond = isUniqueViolation(error, 'source_branch') || isUniqueViolation(error, 'merge_requests_open')
  throw isSecond ? alreadyOpen(error) : error
}

function alreadyOpen(cause: unknown, open?: MergeRequest): Failure {
  const which = open ? `!${open.iid} - ${open.title}` : ''
  const message = [`Another open merge request already exists for this source branch${open ? `: ${which}` : ''}`]
  return new Failure('conflict', message, { cause })
}
