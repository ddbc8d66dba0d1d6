/** Award emoji as JSON. */
import type { Config } from '../../../config.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { keyIn, kindOf } from '../../noteable-kinds.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import type { Award } from './award-emoji.queries.ts'
import type { AwardEmoji } from './award-emoji.schema.ts'

export function presentAward(config: Config, award: Award): Presented<typeof AwardEmoji> {
  const on = keyIn(award)
  return {
    id: award.id,
    name: award.name,
    user: presentUserBrief(config, award.user),
    created_at: award.created_at,
    updated_at: award.updated_at,
    awardable_id: award.note_id ?? on?.id ?? 0,
    awardable_type: on ? kindOf(on).type : 'Note',
  }
}
