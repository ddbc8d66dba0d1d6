/** How much is open, for the header and for the tabs of groups: asked for by script, so that no page waits for it. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { countByState, type IssueScope, issueFilterOf } from '../../../features/planning/issues/issues.ts'
import { countTodos } from '../../../features/planning/todos/todos.ts'
import { countMergeRequests, mergeRequestFilterOf } from '../../../features/review/merge-requests/merge-requests.ts'
import { onProjectOrGroup } from '../../../http/places.ts'
import { signedIn } from '../../../http/rules.ts'
import { type Bytes, page } from '../../frame/declaration.ts'

type Ownership = 'assigned_to_me' | 'all'

/** Of the lists that the links lead to, as they are unless somebody filters them. Some of its ten statements are cached until one is written. */
async function openOf({ db }: App, user: User | null, scope: IssueScope, ownership: Ownership) {
  const filter = { scope: ownership, non_archived: true, state: 'opened' as const }
  const [issues, requests] = [issueFilterOf(filter), mergeRequestFilterOf(filter)]
  const [ofIssues, ofRequests] = await Promise.all([
    issues && countByState(db, user, scope, issues),
    requests && countMergeRequests(db, user, scope, requests),
  ])
  return { issues: ofIssues?.opened ?? 0, merge_requests: ofRequests?.opened ?? 0 }
}

function json(counts: Readonly<Record<string, number>>): Bytes {
  const bytes = Buffer.from(JSON.stringify(counts))
  return { bytes: { size: bytes.length, describe: () => ({ type: 'application/json' }), open: () => bytes } }
}

export const countPages = [
  page('GET /dashboard/counts', {
    access: signedIn(),
    async show({ app, user }) {
      const [open, todos] = await Promise.all([openOf(app, user, {}, 'assigned_to_me'), countTodos(app.db, user, { state: 'pending' })])
      return json({ ...open, todos })
    },
  }),
  page('GET /groups/:group/-/counts', {
    access: onProjectOrGroup('group', 'visible'),
    show: async ({ app, user, place }) => json(await openOf(app, user, { group_id: place.row.id }, 'all')),
  }),
]
