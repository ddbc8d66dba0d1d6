/** How much waits for the current user, in one answer: what clients show beside their menus. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { countWaiting } from './user-counts.queries.ts'

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
    fromDatabase: true,
    async handle({ app, user }) {
      const counts = await countWaiting(app.db, user)
      return { merge_requests: counts.assigned_merge_requests, ...counts }
    },
  }),
]
