/** Events of wikis. */
import type { Instant } from '../db/tables.ts'
import type { RefChange } from '../git/refs/ref-updates.ts'

/** Refs of a wiki have moved: by git, by the API, or because it was filled. */
export interface WikiPushed {
  type: 'wiki_pushed'
  wiki_id: number
  user_id: number
  at: Instant
  changes: RefChange[]
}
