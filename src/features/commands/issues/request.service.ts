/**
 * Selects the fields of a request that apply to an issue: by the role of the sender and the features of the project. As in the reference,
 * other fields are ignored.
 */
import { canManageIssue } from '../../../access/issues.ts'
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import { type Actor, acceptLabels, acceptMilestone, type CommonRequest, requestedAssignees } from '../../planning/issuables/issuables.ts'
import { assignableAmong, type IssueChange } from '../../planning/issues/issues.ts'

export interface IssueRequest extends CommonRequest {
  due_date?: string | null | undefined
  confidential?: boolean | undefined
}

/** The change that a request asks for, without its description. `issue` is null while it is being created. */
export async function acceptRequest(tx: Tx, actor: Actor, issue: Issue | null, request: IssueRequest): Promise<IssueChange> {
  const { confidential } = request
  const title = request.title === null ? '' : request.title
  if (!canManageIssue(actor)) return { title, confidential }
  return {
    title,
    confidential,
    due_date: request.due_date,
    discussion_locked: request.discussion_locked,
    assignee_ids: await acceptAssignees(tx, actor, issue, request),
    milestone_id: await acceptMilestone(tx, actor, request),
    label_ids: await acceptLabels(tx, actor, 'issue_labels', issue?.id ?? null, request),
  }
}

async function acceptAssignees(tx: Tx, actor: Actor, issue: Issue | null, request: IssueRequest): Promise<number[] | undefined> {
  const ids = requestedAssignees(request)
  if (ids === undefined || ids.length === 0) return ids
  const accepted = await assignableAmong(tx, actor.project, issue, ids)
  return accepted.length === 0 ? undefined : accepted
}
