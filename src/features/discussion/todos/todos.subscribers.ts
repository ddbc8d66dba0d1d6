/** Todos that follow from events of issues and merge requests: some actions add one, and an action completes the todos of the actor. */
import type { Tx } from '../../../db/database.ts'
import type { MergeRequest, TodoAction } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { keyOf, kindOf, noteableOfEvent } from '../../noteable-kinds.ts'
import { openWithHead } from '../../review/merge-requests/merge-requests.ts'
import { addTodosIn, completeApprovalsIn, completeTodosIn } from './todos.queries.ts'

export async function assignAtCreation(tx: Tx, event: EventOf<'issue_created' | 'merge_request_created'>): Promise<void> {
  await addFor(tx, event, event.assignee_ids, 'assigned')
  if ('reviewer_ids' in event) await addFor(tx, event, event.reviewer_ids, 'review_requested')
}

/** Due dates, estimates and board positions don't complete a todo. */
export async function completeByChange(tx: Tx, event: EventOf<'issue_changed' | 'merge_request_changed'>): Promise<void> {
  const { before, assignees, labels } = event
  const { row } = noteableOfEvent(event)
  const people = 'reviewers' in event ? [assignees, event.reviewers] : [assignees]
  const hasAnswered =
    before.title !== row.title ||
    before.description !== row.description ||
    before.milestone_id !== row.milestone_id ||
    [...people, labels].some(({ added, removed }) => added.length + removed.length > 0)
  if (hasAnswered) await completeByAct(tx, event)
}

/** After `completeByChange`: users who assign an issue to themselves get a todo. */
export async function assignNew(tx: Tx, event: EventOf<'issue_changed' | 'merge_request_changed'>): Promise<void> {
  await addFor(tx, event, event.assignees.added, 'assigned')
  if ('reviewers' in event) await addFor(tx, event, event.reviewers.added, 'review_requested')
}

type Answer =
  | 'issue_closed'
  | 'issue_changed'
  | 'merge_request_closed'
  | 'merge_request_changed'
  | 'merge_request_merged'
  | 'merge_request_pushed'
  | 'merge_request_approved'

/** Its author and the user who scheduled its merge get a todo to resolve the conflicts. */
export async function askToResolve(tx: Tx, event: EventOf<'merge_request_unmergeable'>): Promise<void> {
  await addFor(tx, event, concernedBy(event.merge_request), 'unmergeable')
}

/** A failed build of its newest commit gives the same two people a todo to fix it. */
export async function askToFix(tx: Tx, { project_id, sha, at }: EventOf<'commit_status_failed'>): Promise<void> {
  for (const row of await openWithHead(tx, project_id, sha)) {
    const target = keyOf({ kind: 'merge_request', row })
    const todo = { target, project_id: row.project_id, author_id: row.author_id, action: 'build_failed', at } as const
    await addTodosIn(tx, concernedBy(row), todo)
  }
}

/** Whom rules of the merge request name. */
export async function askToApprove(tx: Tx, event: EventOf<'merge_request_approval_asked'>): Promise<void> {
  await addFor(tx, event, event.user_ids, 'approval_required')
}

/** A deployment can't have todos, so that of an approver is about its commit, and names the deployer as its author. */
export async function askToApproveDeployment(
  tx: Tx,
  { deployment: { project_id, sha, user_id }, user_ids, at }: EventOf<'deployment_approval_asked'>,
): Promise<void> {
  const target = { kind: 'commit', oid: sha, project_id } as const
  if (user_id !== null) await addTodosIn(tx, user_ids, { target, project_id, author_id: user_id, action: 'approval_required', at })
}

/** Completes the todo of the approver, or of all approvers once the deployment is rejected or has all its approvals. */
export async function completeByDecision(tx: Tx, { deployment, approval, missing }: EventOf<'deployment_decided'>): Promise<void> {
  const { project_id, sha } = deployment
  const ended = approval.status === 'rejected' || missing === 0
  await completeApprovalsIn(tx, { project_id, sha }, ended ? null : approval.user_id, approval.created_at)
}

/** A queue, or the merge of its stack, let it go: its author and who added it get a todo. */
export async function askToQueueAgain(tx: Tx, event: EventOf<'merge_request_unqueued' | 'merge_request_unstacked'>): Promise<void> {
  const { merge_request, actor_id, because } = event
  if (because !== null) await addFor(tx, event, [...new Set([merge_request.author_id, actor_id])], 'merge_train_removed')
}

function concernedBy({ author_id, merge_user_id, merge_when_pipeline_succeeds }: MergeRequest): number[] {
  return merge_when_pipeline_succeeds && merge_user_id !== null ? [author_id, merge_user_id] : [author_id]
}

/** Closing, merging, approving or pushing completes the actor's todos there. */
export async function completeByAct(tx: Tx, event: EventOf<Answer>): Promise<void> {
  await completeTodosIn(tx, event.actor_id, keyOf(noteableOfEvent(event)), event.at)
}

export async function completeByNote(tx: Tx, { noteable, actor_id, at }: EventOf<'note_created' | 'note_changed'>): Promise<void> {
  if (kindOf(noteable).causesTodos) await completeTodosIn(tx, actor_id, keyOf(noteable), at)
}

export async function completeByAward(tx: Tx, { noteable, award, at }: EventOf<'emoji_awarded'>): Promise<void> {
  if (noteable && kindOf(noteable).causesTodos) await completeTodosIn(tx, award.user_id, keyOf(noteable), at)
}

type Causing = EventOf<
  | 'issue_created'
  | 'issue_changed'
  | 'merge_request_created'
  | 'merge_request_changed'
  | 'merge_request_approval_asked'
  | 'merge_request_unmergeable'
  | 'merge_request_unqueued'
  | 'merge_request_unstacked'
>

async function addFor(tx: Tx, event: Causing, userIds: number[], action: TodoAction): Promise<void> {
  const noteable = noteableOfEvent(event)
  const { actor_id: author_id, at } = event
  await addTodosIn(tx, userIds, { target: keyOf(noteable), project_id: noteable.row.project_id, author_id, action, at })
}
