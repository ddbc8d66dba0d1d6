/** SQL for the orders of lists of issues and merge requests. */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { CommonOrder } from './filter.ts'
import { type IssuableTable, type IssuableTables, idColumns } from './kinds.ts'

export type IssuableIds<T extends IssuableTable> = SelectQueryBuilder<Tables, T | 'projects', { id: number }>

/** Rows without the value come last, and among equal priorities the newest first, in either direction. */
export function orderedBy<T extends IssuableTable>(
  list: IssuableIds<T>,
  table: T,
  by: OrderValue[],
  sort: 'asc' | 'desc',
  isReversed: boolean,
): IssuableIds<T> {
  const values = by.reduce((found, { value, isNullable }) => {
    const last = isNullable ? found.orderBy(sql`case when ${value} is null then 1 else 0 end`, isReversed ? 'desc' : 'asc') : found
    return last.orderBy(value, sort)
  }, list)
  const newestFirst = isReversed ? 'asc' : 'desc'
  return values.orderBy(sql.ref(`${table}.id`), by.some(({ isPriority }) => isPriority) ? newestFirst : sort)
}

export interface OrderValue {
  value: RawBuilder<unknown>
  isNullable: boolean
  isPriority?: boolean
}

const always = (value: RawBuilder<unknown>): OrderValue => ({ value, isNullable: false })
export const sometimes = (value: RawBuilder<unknown>): OrderValue => ({ value, isNullable: true })

export function commonOrders({ table, labels }: IssuableTables): Record<CommonOrder, OrderValue[]> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const milestoneDue = sometimes(sql`(select milestones.due_date from milestones where milestones.id = ${column('milestone_id')})`)
  const priorityOfLabels = sometimes(sql`(select min(label_priorities.priority) from label_priorities
    join ${sql.table(labels)} on ${sql.ref(`${labels}.label_id`)} = label_priorities.label_id
    where ${sql.ref(idColumns[labels])} = ${column('id')} and label_priorities.project_id = ${column('project_id')})`)
  const labelPriority = { ...priorityOfLabels, isPriority: true }
  return {
    created_at: [always(column('created_at'))],
    updated_at: [always(column('updated_at'))],
    title: [always(sql`lower(${column('title')})`)],
    popularity: [always(column('upvotes'))],
    milestone_due: [milestoneDue],
    label_priority: [labelPriority],
    priority: [milestoneDue, labelPriority],
  }
}
