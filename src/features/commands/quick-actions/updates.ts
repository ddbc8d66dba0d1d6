/** Changes that quick actions request, under the names that clients read as `commands_changes`. */
import type { Day } from '../../../db/tables.ts'
import type { IssueChange } from '../../planning/issues/issues.ts'
import { draftTitle, type MergeRequestChange, readyTitle } from '../../review/merge-requests/merge-requests.ts'

export interface Updates {
  state_event?: 'close' | 'reopen'
  title?: string
  assignee_ids?: number[]
  /** Only on a merge request. */
  reviewer_ids?: number[]
  target_branch?: string
  /** The title expresses whether it is a draft. */
  wip_event?: 'wip' | 'unwip'
  /** Requests a merge of this tip of its source branch. */
  merge?: string
  /** Requests a rebase of this tip of its source branch. */
  rebase?: string
  approval_event?: 'approve' | 'unapprove'
  milestone_id?: number | null
  /** Replaces the present labels. */
  label_ids?: number[]
  add_label_ids?: number[]
  remove_label_ids?: number[]
  todo_event?: 'add' | 'done'
  subscription_event?: 'subscribe' | 'unsubscribe'
  due_date?: Day | null
  emoji_award?: string
  time_estimate?: number
  spend_time?: { duration: number | 'reset'; user_id: number; spent_at: Day | null }
  confidential?: true
  discussion_locked?: boolean
  /** The issue that it duplicates. */
  canonical_issue_id?: number
  target_project_id?: number
}

/** The labels after the change; undefined if they don't change. */
export function labelsAfter(current: number[], { label_ids, add_label_ids = [], remove_label_ids = [] }: Updates): number[] | undefined {
  if (label_ids === undefined && add_label_ids.length === 0 && remove_label_ids.length === 0) return undefined
  const all = new Set([...(label_ids ?? current), ...add_label_ids])
  for (const id of remove_label_ids) all.delete(id)
  return [...all]
}

const states = { close: 'closed', reopen: 'opened' } as const

/** The fields that issues and merge requests have in common. */
function changeOf(updates: Updates, currentLabels: number[]) {
  const { state_event, spend_time } = updates
  return {
    title: updates.title,
    assignee_ids: updates.assignee_ids,
    milestone_id: updates.milestone_id,
    label_ids: labelsAfter(currentLabels, updates),
    time_estimate: updates.time_estimate,
    discussion_locked: updates.discussion_locked,
    time: spend_time && { seconds: spend_time.duration === 'reset' ? null : spend_time.duration, spent_at: spend_time.spent_at },
    state: state_event && states[state_event],
  }
}

export function issueChangeOf(updates: Updates, currentLabels: number[]): IssueChange {
  const { canonical_issue_id } = updates
  const change = changeOf(updates, currentLabels)
  return {
    ...change,
    due_date: updates.due_date,
    confidential: updates.confidential,
    duplicated_to_id: canonical_issue_id,
    state: canonical_issue_id === undefined ? change.state : 'closed',
    by: canonical_issue_id === undefined ? undefined : { duplicate_of_id: canonical_issue_id },
  }
}

/** @param title the current title */
export function mergeRequestChangeOf(updates: Updates, currentLabels: number[], title: string): MergeRequestChange {
  const { wip_event } = updates
  const named = updates.title ?? title
  return {
    ...changeOf(updates, currentLabels),
    title: wip_event === undefined ? updates.title : wip_event === 'wip' ? draftTitle(named) : readyTitle(named),
    reviewer_ids: updates.reviewer_ids,
    target_branch: updates.target_branch,
  }
}
