/** Access rules of members: which may be changed and removed. */
import { Type } from 'typebox'
import { columnsOf, type PlaceGranted } from '../../../http/declare/places.ts'
import type { Condition } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import type { OfKind } from './members.queries.ts'
import { getMember } from './members.service.ts'

export const userId = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of the user' })

/** The member of the place in `:user_id`, as `member`. */
export const memberInPath = nested({ user_id: userId }, async ({ place }: PlaceGranted, { user_id }, app) => ({
  member: await getMember(app, columnsOf(place), user_id),
}))

/** The owner of a personal project is always a member. */
export const notItsOwner: Condition<PlaceGranted> = {
  description: 'for members other than the owner of a personal project',
  holds: ({ place }, { params }) => place.kind === 'group' || Number(params.user_id) !== place.row.namespace_owner_id,
}

/** A bot user is a member as long as its token is valid: revoking the token removes it. */
export const noBot: Condition<PlaceGranted & { member: OfKind }> = {
  description: 'for members other than bot users',
  holds: ({ member }) => member.kind !== 'bot',
}
