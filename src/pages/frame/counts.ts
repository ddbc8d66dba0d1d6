/** Numbers of open items of a user, shown in the header of pages. */
import { LRUCache } from 'lru-cache'
import type { App } from '../../app.ts'
import type { Db } from '../../db/database.ts'
import { atOneMoment } from '../../db/snapshot-id.ts'
import type { User } from '../../db/tables.ts'
import { countWaiting } from '../../features/discussion/todos/todos.ts'
import type { ListScope } from '../../features/planning/issuables/issuables.ts'
import { countByState, issueFilterOf } from '../../features/planning/issues/issues.ts'
import { countMergeRequests, mergeRequestFilterOf } from '../../features/review/merge-requests/merge-requests.ts'
import { within } from '../../limits/within.ts'

/** The counts match the lists they link to, without filters. Some of the statements are cached until one of the tables changes. */
export async function countOpen({ db }: App, user: User | null, scope: ListScope) {
  const filter = { scope: 'all' as const, non_archived: true, state: 'opened' as const }
  const [issues, requests] = [issueFilterOf(filter), mergeRequestFilterOf(filter)]
  const [ofIssues, ofMergeRequests] = await Promise.all([
    issues && countByState(db, user, scope, issues),
    requests && countMergeRequests(db, user, scope, requests),
  ])
  return { issues: ofIssues?.opened ?? 0, merge_requests: ofMergeRequests?.opened ?? 0 }
}

/** Open issues and merge requests that are assigned to the user, and their pending to-do items. */
export interface OwnCounts {
  issues: number
  merge_requests: number
  todos: number
}

const maxUsers = 1_000

const perDatabase = new WeakMap<Db, LRUCache<number, Promise<OwnCounts>>>()

/** Counts them now. */
export function countAnew(app: App, user: User): Promise<OwnCounts> {
  const counting = atOneMoment(app.db, async () => {
    const { assigned_issues, assigned_merge_requests, todos } = await countWaiting(app.db, user)
    return { issues: assigned_issues, merge_requests: assigned_merge_requests, todos }
  })
  const known = knownIn(app.db)
  known.set(user.id, counting, { ttl: app.limits.headerCounts_ms })
  // After a failure, the next page tries again.
  counting.catch(() => known.delete(user.id))
  return counting
}

/** For the header of a page: at most `headerCounts_ms` old; null if they are not ready in time, and then a script requests them. */
export async function countsFor(app: App, user: User): Promise<OwnCounts | null> {
  const counting = knownIn(app.db).get(user.id) ?? countAnew(app, user)
  return within(app.limits.pagePatience_ms.header_counts, counting).catch(() => null)
}

/** Called after each form of the user, which may have changed anything. */
export function forgetCounts(app: App, user: User): void {
  knownIn(app.db).delete(user.id)
}

function knownIn(db: Db): LRUCache<number, Promise<OwnCounts>> {
  const known = perDatabase.get(db) ?? new LRUCache<number, Promise<OwnCounts>>({ max: maxUsers })
  perDatabase.set(db, known)
  return known
}
