/** What quick actions want to change, under the names that clients read as `commands_changes`. */
import type { Day } from '../../../db/tables.ts'
import type { IssueChange } from '../issues/issues.ts'

export interface Updates {
  state_event?: 'close' | 'reopen'
  title?: string
  assignee_ids?: number[]
  milestone_id?: number | null
  /** Instead of those it has. */
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
  /** The issue of which it is a duplicate. */
  canonical_issue_id?: number
  target_project_id?: number
}

/** The labels afterwards; undefined where they stay. */
export function labelsAfter(current: number[], { label_ids, add_label_ids = [], remove_label_ids = [] }: Updates): number[] | undefined {
  if (label_ids === undefined && add_label_ids.length === 0 && remove_label_ids.length === 0) return undefined
  const all = new Set([...(label_ids ?? current), ...add_label_ids])
  for (const id of remove_label_ids) all.delete(id)
  return [...all]
}

/** What of it is a change of the issue itself. */
export function issueChangeOf(updates: Updates, currentLabels: number[]): IssueChange {
  const { state_event, spend_time, canonical_issue_id } = updates
  const states = { close: 'closed', reopen: 'opened' } as const
  return {
    title: updates.title,
    assignee_ids: updates.assignee_ids,
    milestone_id: updates.milestone_id,
    label_ids: labelsAfter(currentLabels, updates),
    due_date: updates.due_date,
    time_estimate: updates.time_estimate,
    confidential: updates.confidential,
    discussion_locked: updates.discussion_locked,
    time: spend_time && { seconds: spend_time.duration === 'reset' ? null : spend_time.duration, spent_at: spend_time.spent_at },
    duplicated_to_id: canonical_issue_id,
    state: canonical_issue_id === undefined ? state_event && states[state_event] : 'closed',
    by: canonical_issue_id === undefined ? undefined : { duplicate_of_id: canonical_issue_id },
  }
}
