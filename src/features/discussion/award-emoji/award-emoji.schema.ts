/** Emoji awarded to something, as JSON. */
import { Type } from 'typebox'
import { Instant, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

export const AwardEmoji = resource('AwardEmoji', {
  id: Type.Integer(),
  name: Type.String(),
  user: UserBrief,
  created_at: Instant,
  updated_at: Instant,
  awardable_id: Type.Integer(),
  awardable_type: Type.String({ description: '`Issue`, `MergeRequest`, `Snippet` or `Note`' }),
})
