/** A member as JSON (spec 2.18). */
import { type Static, Type } from 'typebox'
import type { Config } from '../../config.ts'
import { Day, nullable } from '../../http/schema.ts'
import { webUrl } from '../../links.ts'
import { avatarUrl } from '../avatars/avatars.service.ts'
import { UserBrief } from '../users/users.schema.ts'
import type { Member as MemberRow } from './members.queries.ts'

export const Member = Type.Object({ ...UserBrief.properties, access_level: Type.Integer(), expires_at: nullable(Day) })

export function presentMember(config: Config, member: MemberRow): Static<typeof Member> {
  const { id, name, username, state, access_level, expires_at } = member
  return {
    id,
    name,
    username,
    state,
    avatar_url: avatarUrl(config, 'user', member),
    web_url: webUrl(config, username),
    access_level,
    expires_at,
  }
}
