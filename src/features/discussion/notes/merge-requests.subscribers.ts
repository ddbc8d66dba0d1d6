/** System notes for changes of merge requests. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { readyTitle } from '../../review/merge-requests/merge-requests.ts'
import {
  approvalsKeptText,
  approvalText,
  automaticMergeText,
  deletedSourceText,
  draftText,
  endOfAutomaticMergeText,
  mergedText,
  queuedText,
  restackedText,
  reviewersText,
  stackedText,
  targetBranchText,
  unqueuedText,
  unstackedText,
} from './merge-request-texts.ts'
import { assigneesChange, commonTexts, namesOf, written } from './shared-notes.ts'
import { insertSystemNotes } from './system-notes.service.ts'
import { type SystemText, stateText, titleText } from './system-notes.ts'

/** In the order in which the reference release writes them. */
export async function noteMergeRequestChanges(tx: Tx, event: EventOf<'merge_request_changed'>): Promise<void> {
  const { before, merge_request, assignees, reviewers, time } = event
  const texts: SystemText[] = []
  if (before.draft !== merge_request.draft) texts.push(draftText(merge_request.draft))
  if (readyTitle(before.title) !== readyTitle(merge_request.title)) texts.push(titleText(before.title, merge_request.title))
  texts.push(...(await commonTexts(tx, 'merge_request', before, merge_request, time)))
  if (before.target_branch !== merge_request.target_branch) texts.push(targetBranchText(before.target_branch, merge_request.target_branch))
  if (assignees.added.length > 0 || assignees.removed.length > 0) texts.push(await assigneesChange(tx, assignees))
  if (reviewers.added.length > 0 || reviewers.removed.length > 0) {
    const [added, removed] = await namesOf(tx, reviewers)
    texts.push(reviewersText(added, removed))
  }
  await insertSystemNotes(tx, written(event, texts))
}

export async function noteMergeRequestClosing(tx: Tx, event: EventOf<'merge_request_closed'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [stateText('closed', null)]))
}

export async function noteMergeRequestReopening(tx: Tx, event: EventOf<'merge_request_reopened'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [stateText('opened', null)]))
}

export async function noteMerge(tx: Tx, event: EventOf<'merge_request_merged'>): Promise<void> {
  const { stacked_branch, merge_request } = event
  const isMoved = stacked_branch != null && stacked_branch !== merge_request.target_branch
  const moved = isMoved ? [targetBranchText(stacked_branch, merge_request.target_branch)] : []
  await insertSystemNotes(tx, written(event, [...moved, mergedText]))
}

export async function noteScheduling(tx: Tx, event: EventOf<'merge_request_merge_scheduled'>): Promise<void> {
  if (!event.is_update) await insertSystemNotes(tx, written(event, [automaticMergeText(event.oid)]))
}

export async function noteUnscheduling(tx: Tx, event: EventOf<'merge_request_merge_unscheduled'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [endOfAutomaticMergeText(event.reason)]))
}

export async function noteQueueing(tx: Tx, event: EventOf<'merge_request_queued'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [queuedText(event.position)]))
}

export async function noteUnqueueing(tx: Tx, event: EventOf<'merge_request_unqueued'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [unqueuedText(event.because)]))
}

export async function noteStacking(tx: Tx, event: EventOf<'merge_request_stacked'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [stackedText(event.below.iid)]))
}

export async function noteUnstacking(tx: Tx, event: EventOf<'merge_request_unstacked'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [unstackedText(event.because)]))
}

export async function noteDeletedSource(tx: Tx, event: EventOf<'merge_request_source_deleted'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [deletedSourceText(event.merge_request.source_branch)]))
}

export async function noteApproval(tx: Tx, event: EventOf<'merge_request_approved' | 'merge_request_unapproved'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [approvalText(event.type === 'merge_request_approved')]))
}

export async function noteKeptApprovals(tx: Tx, event: EventOf<'merge_request_approvals_kept'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [approvalsKeptText]))
}

export async function noteRestacking(tx: Tx, event: EventOf<'merge_request_restacked'>): Promise<void> {
  const { merge_request, below } = event
  await insertSystemNotes(tx, written(event, [restackedText(merge_request.target_branch, below)]))
}

/** Limit of the commits of a push that are listed. */
const maxListed = 100

/** Reading their titles needs git, so that is done after the push. */
export function describeCommits(event: EventOf<'merge_request_pushed'>) {
  const { merge_request, actor_id, at, version_id, before_oid, added_oids, existing_oids } = event
  if (added_oids.length + existing_oids.length === 0) return null
  return {
    merge_request_id: merge_request.id,
    actor_id,
    at,
    version_id,
    before_oid,
    listed_oids: added_oids.slice(-maxListed),
    added: added_oids.length,
    existing_oids,
  }
}
