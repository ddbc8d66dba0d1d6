/** A member as JSON (spec 2.18). */
import type { Static } from 'typebox'
import { pageUrl } from '../../../addresses/links.ts'
import { userAddress } from '../../../addresses/places.ts'
import type { Config } from '../../../config.ts'
import { stateOf } from '../../people/users/users.ts'
import { userAvatarUrl } from '../../storage/avatars/avatars.ts'
import type { Member as MemberRow } from './members.queries.ts'
import type { Member } from './members.schema.ts'

export function presentMember(config: Config, member: MemberRow): Static<typeof Member> {
  const { id, name, username, access_level, expires_at, created_at } = member
  return {
    id,
    name,
    username,
    state: stateOf(member),
    avatar_url: userAvatarUrl(config, member),
    web_url: pageUrl(config, userAddress(username)),
    access_level,
    expires_at,
    created_at,
    // Never `awaiting`: access requests are not memberships here.
    membership_state: 'active',
  }
}
