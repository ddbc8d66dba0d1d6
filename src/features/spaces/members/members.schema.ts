/** A member as it is shown (spec 2.18). */
import { Type } from 'typebox'
import { Day, Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

export const Member = resource('Member', {
  ...UserBrief.properties,
  access_level: Type.Integer(),
  expires_at: nullable(Day),
  created_at: Instant,
  membership_state: oneOf('active'),
})
