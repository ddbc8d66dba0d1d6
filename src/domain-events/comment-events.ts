/** What happens to comments. */
import type { Instant } from '../db/tables.ts'

export interface CommitCommented {
  type: 'commit_commented'
  project_id: number
  author_id: number
  comment_id: number
  at: Instant
}
