/** A member as JSON (spec 2.18). */
import type { Static } from 'typebox'
import type { Config } from '../../../config.ts'
import { webUrl } from '../../../links.ts'
import { avatarUrl } from '../../storage/avatars/avatars.ts'
import type { Member as MemberRow } from './members.queries.ts'
import type { Member } from './members.schema.ts'

export function presentMember(config: Config, member: MemberRow): Static<typeof Member> {
  const { id, name, username, state, access_level, expires_at, created_at } = member
  return {
    id,
    name,
    username,
    state,
    avatar_url: avatarUrl(config, 'user', member),
    web_url: webUrl(config, username),
    access_level,
    expires_at,
    created_at,
    // Never `awaiting`: access requests are not memberships here.
    membership_state: 'active',
  }
}
