/** SQL for the orders of lists of issues. */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { IssueOrder } from './filter.ts'

export type IssueIds = SelectQueryBuilder<Tables, 'issues', { id: number }>

/** Issues without the value come last, in either direction. */
export function ordered(list: IssueIds, by: IssueOrder, sort: 'asc' | 'desc', isReversed: boolean): IssueIds {
  const values = orders[by].reduce((found, { value, isNullable }) => {
    const last = isNullable ? found.orderBy(sql`case when ${value} is null then 1 else 0 end`, isReversed ? 'desc' : 'asc') : found
    return last.orderBy(value, sort)
  }, list)
  return values.orderBy('issues.id', sort)
}

interface OrderValue {
  value: RawBuilder<unknown>
  isNullable: boolean
}

const always = (value: RawBuilder<unknown>): OrderValue => ({ value, isNullable: false })
const sometimes = (value: RawBuilder<unknown>): OrderValue => ({ value, isNullable: true })

const milestoneDue = sometimes(sql`(select milestones.due_date from milestones where milestones.id = issues.milestone_id)`)
const labelPriority = sometimes(sql`(select min(label_priorities.priority) from label_priorities
  join issue_labels on issue_labels.label_id = label_priorities.label_id
  where issue_labels.issue_id = issues.id and label_priorities.project_id = issues.project_id)`)

const orders: Record<IssueOrder, OrderValue[]> = {
  created_at: [always(sql`issues.created_at`)],
  updated_at: [always(sql`issues.updated_at`)],
  title: [always(sql`lower(issues.title)`)],
  popularity: [always(sql`issues.upvotes`)],
  due_date: [sometimes(sql`issues.due_date`)],
  milestone_due: [milestoneDue],
  label_priority: [labelPriority],
  priority: [milestoneDue, labelPriority],
  relative_position: [sometimes(sql`issues.relative_position`)],
}
