/** Filters that only lists of issues have. */
import type { CommonFilter, CommonOrder } from '../issuables/issuables.ts'

export const dueWords = ['0', 'any', 'today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks'] as const
export type DueWord = (typeof dueWords)[number]

export const issueOrders = [
  'created_at',
  'due_date',
  'label_priority',
  'milestone_due',
  'popularity',
  'priority',
  'relative_position',
  'title',
  'updated_at',
] as const satisfies Array<CommonOrder | 'due_date' | 'relative_position'>
export type IssueOrder = (typeof issueOrders)[number]

export interface IssueFilter extends CommonFilter {
  scope?: 'created_by_me' | 'assigned_to_me' | 'all' | undefined
  state?: 'opened' | 'closed' | undefined
  confidential?: boolean | undefined
  due_date?: DueWord | undefined
  order_by?: IssueOrder | undefined
}
