/** How much waits for the current user, in one answer: what clients show beside their menus. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { atOneMoment } from '../../../db/snapshot-id.ts'
import type { User } from '../../../db/tables.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { countByState, issueFilterOf } from '../../planning/issues/issues.ts'
import { countMergeRequests, mergeRequestFilterOf } from '../../review/merge-requests/merge-requests.ts'
import { countTodos } from './lists.queries.ts'

const UserCounts = resource('UserCounts', {
  merge_requests: Type.Integer({ description: 'As assigned_merge_requests' }),
  assigned_issues: Type.Integer({ description: 'Open ones' }),
  assigned_merge_requests: Type.Integer({ description: 'Open ones' }),
  review_requested_merge_requests: Type.Integer({ description: 'Open ones' }),
  todos: Type.Integer({ description: 'Pending ones' }),
})

export const userCounts = [
  endpoint('GET /user_counts', {
    summary: 'Count the open issues, merge requests and todos of the current user',
    access: signedIn(),
    reply: UserCounts,
    async handle({ app, user }) {
      const [assigned_issues, assigned_merge_requests, review_requested_merge_requests, todos] = await atOneMoment(app.db, () =>
        Promise.all([
          assignedIssues(app, user),
          openMergeRequests(app, user, 'assigned_to_me'),
          openMergeRequests(app, user, 'reviews_for_me'),
          countTodos(app.db, user, { state: 'pending' }),
        ]),
      )
      return { merge_requests: assigned_merge_requests, assigned_issues, assigned_merge_requests, review_requested_merge_requests, todos }
    },
  }),
]

const open = { state: 'opened', non_archived: true } as const

async function assignedIssues({ db }: App, user: User): Promise<number> {
  const filter = issueFilterOf({ ...open, scope: 'assigned_to_me' })
  return filter ? (await countByState(db, user, {}, filter)).opened : 0
}

async function openMergeRequests({ db }: App, user: User, scope: 'assigned_to_me' | 'reviews_for_me'): Promise<number> {
  const filter = mergeRequestFilterOf({ ...open, scope })
  return filter ? (await countMergeRequests(db, user, {}, filter)).opened : 0
}
