/**
 * Numbers of open items, for scripts: for the header if the page came without them, and for the tabs of groups, which no page waits for.
 */
import { onProjectOrGroup } from '../../../http/declare/places.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { countAnew, countOpen } from '../../frame/counts.ts'
import { type Bytes, page } from '../../frame/declaration.ts'

function json(counts: object): Bytes {
  const bytes = Buffer.from(JSON.stringify(counts))
  return { bytes: { size: bytes.length, describe: () => ({ type: 'application/json' }), open: () => bytes } }
}

export const countPages = [
  page('GET /dashboard/counts', { access: signedIn(), show: async ({ app, user }) => json(await countAnew(app, user)) }),
  page('GET /groups/:group/-/counts', {
    access: onProjectOrGroup('group', 'visible'),
    show: async ({ app, user, place }) => json(await countOpen(app, user, { group_id: place.row.id })),
  }),
]
