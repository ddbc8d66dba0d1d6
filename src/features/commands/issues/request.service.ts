/** What of a request for an issue counts: by the role of who sent it, and by what their project has. As in the reference, the rest is ignored. */
import { canManageIssue } from '../../../access/issues.ts'
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import { type Actor, assignableAmong, type IssueChange, labelIds } from '../../planning/issues/issues.ts'
import { findLabelsByTitles, findOrCreateLabels, titlesIn } from '../../planning/labels/labels.ts'
import { findMilestoneFor } from '../../planning/milestones/milestones.ts'

/** What isn't sent is undefined. */
export interface IssueRequest {
  /** Null is an empty one, which is refused. */
  title?: string | null | undefined
  description?: string | null | undefined
  assignee_ids?: Array<number | null> | null | undefined
  assignee_id?: number | null | undefined
  milestone_id?: number | null | undefined
  /** Each may be several, with commas between them. */
  labels?: string[] | null | undefined
  add_labels?: string[] | null | undefined
  remove_labels?: string[] | null | undefined
  due_date?: string | null | undefined
  confidential?: boolean | undefined
  discussion_locked?: boolean | null | undefined
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
    label_ids: await acceptLabels(tx, actor, issue, request),
  }
}

async function acceptAssignees(tx: Tx, actor: Actor, issue: Issue | null, request: IssueRequest): Promise<number[] | undefined> {
  const { assignee_ids, assignee_id } = request
  const sent = assignee_ids === undefined ? (assignee_id === undefined ? undefined : [assignee_id]) : (assignee_ids ?? [])
  if (sent === undefined) return undefined
  const ids = sent.filter((id) => id !== null && id > 0) as number[]
  if (ids.length === 0) return []
  const accepted = await assignableAmong(tx, actor.project, issue, ids)
  return accepted.length === 0 ? undefined : accepted
}

async function acceptMilestone(tx: Tx, { project }: Actor, { milestone_id }: IssueRequest): Promise<number | null | undefined> {
  if (milestone_id === undefined) return undefined
  if (milestone_id === null || milestone_id === 0) return null
  return (await findMilestoneFor(tx, project, milestone_id))?.id
}

async function acceptLabels(tx: Tx, actor: Actor, issue: Issue | null, request: IssueRequest): Promise<number[] | undefined> {
  const { labels, add_labels, remove_labels } = request
  if (labels === undefined && add_labels === undefined && remove_labels === undefined) return undefined
  const current = issue && labels === undefined ? await labelIds(tx, issue.id) : []
  const added = await findOrCreateLabels(tx, actor, titlesIn([...(labels ?? []), ...(add_labels ?? [])]))
  const removed = await findLabelsByTitles(tx, actor.project, titlesIn(remove_labels ?? []))
  const after = new Set([...current, ...added.map(({ id }) => id)])
  for (const { id } of removed) after.delete(id)
  return [...after]
}
