/** A member as JSON (spec 2.18). */
import { type Static, Type } from 'typebox'
import type { Config } from '../../config.ts'
import { Day, nullable } from '../../http/schema.ts'
import { presentUserBrief } from '../users/users.present.ts'
import { UserBrief } from '../users/users.schema.ts'
import type { Member as MemberRow } from './members.queries.ts'

export const Member = Type.Object({ ...UserBrief.properties, access_level: Type.Integer(), expires_at: nullable(Day) })

export function presentMember(config: Config, member: MemberRow): Static<typeof Member> {
  return { ...presentUserBrief(config, member), access_level: member.access_level, expires_at: member.expires_at }
}
