/** Access rules of access requests: who may request access. */
import type { User } from '../../../db/tables.ts'
import { columnsOf, type Place, type PlaceGranted } from '../../../http/declare/places.ts'
import type { Condition, SignedIn } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { getRequester } from './access-requests.service.ts'

/** Grants the request of the user in `:user_id`, as `requester`. */
export const requesterInPath = nested({ user_id: Id }, async ({ place }: PlaceGranted, { user_id }, app) => ({
  requester: await getRequester(app, columnsOf(place), user_id),
}))

/** Whether this user, who must not be a member, may request access. */
export function mayRequestAccess(place: Place, user: User): boolean {
  return place.level === 0 && isOpenTo(place, user)
}

export const newcomers: Condition<PlaceGranted & SignedIn> = {
  description: 'users who are not members, where requests are open',
  holds: ({ place, user }) => mayRequestAccess(place, user),
}

function isOpenTo({ kind, row }: Place, user: User): boolean {
  if (!row.request_access_enabled || row.archived) return false
  if (kind === 'project') return true
  // Members of something below a private group only see the group; they can't request more.
  return row.visibility === 'public' || (row.visibility === 'internal' && !user.external)
}
