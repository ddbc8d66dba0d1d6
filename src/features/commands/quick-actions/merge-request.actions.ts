/** Quick actions for merge requests only: target branch, reviews, approvals, rebasing and merging. */
import { approvalSettingsOf } from '../../review/approval-rules/approval-rules.ts'
import { canApprove } from '../../review/approvals/approvals.ts'
import { isDraft } from '../../review/merge-requests/merge-requests.ts'
import { managed, ofMergeRequest, onMergeRequest, onOwn, type QuickActions } from './actions.ts'
import { readUsers } from './arguments.ts'
import { subjectKindOf } from './subjects.ts'

const toggleDraft = onOwn(
  onMergeRequest(({ merge_request, updates }) => markDraft(updates, !isDraft(updates.title ?? merge_request.title))),
)

export const mergeRequestActions: QuickActions = {
  wip: ofMergeRequest((at, argument) => (at.merge_request === null ? markDraft(at.updates, true) : toggleDraft(at, argument))),
  ready: onOwn(
    onMergeRequest(({ merge_request, updates }) => (isDraft(updates.title ?? merge_request.title) ? markDraft(updates, false) : null)),
  ),
  target_branch: managed(
    ofMergeRequest(({ known, merge_request, updates }, name) => {
      if (!known.branches.has(name) || name === merge_request?.target_branch) return null
      const isSource = merge_request?.source_project_id === merge_request?.project_id && name === merge_request?.source_branch
      if (isSource) return null
      updates.target_branch = name
      return `Set target branch to ${name}.`
    }),
  ),
  assign_reviewer: managed(
    ofMergeRequest(async ({ tx, actor, on, reviewers, updates }, argument) => {
      const users = await readUsers(tx, actor.user, argument)
      const ids = users.map(({ id }) => id)
      const able = await subjectKindOf(on).assignable(tx, actor.project, on.row, ids)
      const found = users.filter(({ id }) => able.includes(id))
      if (found.length === 0) return null
      updates.reviewer_ids = [...new Set([...(updates.reviewer_ids ?? reviewers), ...able])]
      return `Assigned ${found.map(({ username }) => `@${username}`).join(' ')} as ${found.length === 1 ? 'reviewer' : 'reviewers'}.`
    }),
  ),
  unassign_reviewer: managed(
    onMergeRequest(async ({ tx, actor, reviewers, updates }, argument) => {
      const current = updates.reviewer_ids ?? reviewers
      const named = argument === '' ? current : (await readUsers(tx, actor.user, argument)).map(({ id }) => id)
      if (!current.some((id) => named.includes(id))) return null
      updates.reviewer_ids = current.filter((id) => !named.includes(id))
      return argument === '' ? 'Removed all reviewers.' : `Removed reviewer ${argument}.`
    }),
  ),
  approve: onMergeRequest(async ({ tx, actor, merge_request, approvers, updates }) => {
    if (approvers.includes(actor.user.id) || !(await canApprove(tx, actor, merge_request, actor.user))) return null
    if ((await approvalSettingsOf(tx, merge_request.project_id)).require_password_to_approve) return null
    updates.approval_event = 'approve'
    return 'Approved the current merge request.'
  }),
  unapprove: onMergeRequest(({ actor, approvers, updates }) => {
    if (!approvers.includes(actor.user.id)) return null
    updates.approval_event = 'unapprove'
    return 'Unapproved the current merge request.'
  }),
  merge: onMergeRequest(({ merge_request, known, updates }) => {
    const { state, draft, head_oid } = merge_request
    if (state !== 'opened' || draft || head_oid === null || !known.mayMerge) return null
    updates.merge = head_oid
    return 'Scheduled to merge this merge request.'
  }),
  rebase: onMergeRequest(({ merge_request, known, updates }) => {
    const { state, head_oid, source_branch } = merge_request
    if (state !== 'opened' || head_oid === null || !known.mayRebase) return null
    updates.rebase = head_oid
    return `Scheduled a rebase of branch ${source_branch}.`
  }),
}

function markDraft(updates: { wip_event?: 'wip' | 'unwip' }, isDraft: boolean): string {
  updates.wip_event = isDraft ? 'wip' : 'unwip'
  return isDraft ? 'Marked this merge request as Work In Progress.' : 'Unmarked this merge request as Work In Progress.'
}
