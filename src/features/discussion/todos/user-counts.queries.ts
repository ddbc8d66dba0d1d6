/** SQL that counts what waits for a user: one statement for all numbers, built once until their memberships change. */
import { type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely'
import { withMemberships } from '../../../access/memberships.ts'
import type { Db } from '../../../db/database.ts'
import { cachedRows } from '../../../db/list-cache.ts'
import type { User } from '../../../db/tables.ts'
import { openIssuesFor } from '../../planning/issues/issues.ts'
import { openMergeRequestsFor } from '../../review/merge-requests/merge-requests.ts'
import { pendingTodosOf } from './lists.queries.ts'

/** Open issues and merge requests, and pending to-do items. */
export interface Waiting {
  assigned_issues: number
  assigned_merge_requests: number
  review_requested_merge_requests: number
  todos: number
}

interface Kept {
  external: boolean
  query: CompiledQuery<Waiting>
}

/** Keyed by the rows of a user's memberships. Cached, since building the query takes longer than checking that nothing was written. */
const queries = new WeakMap<object, Kept>()

/** One statement besides that for the memberships. Cached until a table is written to, except for new notes, which change no number. */
export async function countWaiting(db: Db, caller: User): Promise<Waiting> {
  const user = await withMemberships(db, caller)
  const query = queryFor(db, user)
  const [row] = await cachedRows<Waiting>(db, { compile: () => query }, { keepsPlan: true, oldRowsOf: ['notes'] })
  if (!row) throw new Error('no numbers were counted')
  return row
}

function queryFor(db: Db, user: User & { memberships?: { rows: object } }): CompiledQuery<Waiting> {
  const { external, memberships } = user
  if (!memberships) return build(db, user)
  const known = queries.get(memberships.rows)
  if (known && known.external === external) return known.query
  const query = build(db, user)
  queries.set(memberships.rows, { external, query })
  return query
}

function build(db: Db, user: User): CompiledQuery<Waiting> {
  return db
    .selectNoFrom([
      numberOf(openIssuesFor(db, user)).as('assigned_issues'),
      numberOf(openMergeRequestsFor(db, user, 'assigned_to_me')).as('assigned_merge_requests'),
      numberOf(openMergeRequestsFor(db, user, 'reviews_for_me')).as('review_requested_merge_requests'),
      numberOf(pendingTodosOf(db, user)).as('todos'),
    ])
    .compile()
}

function numberOf<DB, TB extends keyof DB, O>(list: SelectQueryBuilder<DB, TB, O>) {
  return sql<number>`(${list.select(sql<number>`count(*)`.as('number'))})`
}
