/** Who may request access to a project or group. */
import type { User } from '../../../db/tables.ts'
import type { Place, PlaceGranted } from '../../../http/places.ts'
import type { Condition, SignedIn } from '../../../http/rules.ts'

export const newcomers: Condition<PlaceGranted & SignedIn> = {
  description: 'users who are not members, where requests are open',
  holds: ({ place, user }) => place.level === 0 && isOpenTo(place, user),
}

function isOpenTo({ kind, row }: Place, user: User): boolean {
  if (!row.request_access_enabled) return false
  if (kind === 'project') return !row.archived
  // Members of what is below a private group see it from outside: they can't request more.
  return row.visibility === 'public' || (row.visibility === 'internal' && !user.external)
}
