/** SQL conditions for lists of issues: one per filter, over `issues`. */
import { expressionBuilder } from 'kysely'
import { today } from '../../../db/instants.ts'
import type { Tables } from '../../../db/tables.ts'
import { type Condition, commonConditions, issueTables, type ListScope } from '../issuables/issuables.ts'
import type { DueWord, IssueFilter } from './filter.ts'

const eb = expressionBuilder<Tables, 'issues'>()

/** All of them must hold for the issues of the list; `viewerId` is needed for `created_by_me` and reactions. */
export function conditionsOf(scope: ListScope, filter: IssueFilter, viewerId: number): Condition[] {
  const { confidential } = filter
  return [
    ...(confidential === undefined ? [] : [eb('issues.confidential', '=', confidential)]),
    ...commonConditions(issueTables, scope, filter, viewerId),
    ...(filter.due_date ? [isDue(filter.due_date)] : []),
  ]
}

const day_ms = 86_400_000

/** Weeks begin on Monday. */
function isDue(word: DueWord): Condition {
  const at = (day: Date) => day.toISOString().slice(0, 10)
  const day = new Date(`${today()}T00:00:00Z`)
  const plus = (days: number) => new Date(day.getTime() + days * day_ms)
  const endOfMonth = (months: number) => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months + 1, 0))
  const between = (first: Date, last: Date) => eb.and([eb('issues.due_date', '>=', at(first)), eb('issues.due_date', '<=', at(last))])
  const sinceMonday = (day.getUTCDay() + 6) % 7
  switch (word) {
    case '0':
      return eb('issues.due_date', 'is', null)
    case 'any':
      return eb('issues.due_date', 'is not', null)
    case 'today':
      return between(day, day)
    case 'tomorrow':
      return between(plus(1), plus(1))
    case 'overdue':
      return eb('issues.due_date', '<', at(day))
    case 'week':
      return between(plus(-sinceMonday), plus(6 - sinceMonday))
    case 'month':
      return between(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)), endOfMonth(0))
    case 'next_month_and_previous_two_weeks':
      return between(plus(-14), endOfMonth(1))
  }
}
