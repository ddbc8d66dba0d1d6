/** Award emoji as JSON. */
import type { Config } from '../../../config.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { keyOf, kindOf, kindsByName } from '../noteables/noteables.ts'
import type { Award } from './award-emoji.queries.ts'
import type { AwardEmoji } from './award-emoji.schema.ts'

export function presentAward(config: Config, award: Award): Presented<typeof AwardEmoji> {
  return {
    id: award.id,
    name: award.name,
    user: presentUserBrief(config, award.user),
    created_at: award.created_at,
    updated_at: award.updated_at,
    awardable_id: award.note_id ?? award.snippet_id ?? keyOf(award)[1],
    awardable_type: typeOf(award),
  }
}

function typeOf(award: Award): string {
  if (award.note_id !== null) return 'Note'
  return kindsByName[award.snippet_id === null ? kindOf(award) : 'snippet'].type
}
