/** Activity events. */
import type { Generated } from 'kysely'
import type { Instant } from './columns.ts'

/** What somebody did. A push has a row for each ref, without a target. */
export interface EventTable {
  id: Generated<number>
  project_id: number | null
  author_id: number
  action: 'pushed' | 'commented' | 'joined' | 'left' | 'expired'
  target_type: string | null
  target_id: number | null
  /** Full name, `refs/heads/main`; null for what is no push. */
  ref: string | null
  /** Null for a ref that was created. */
  before_oid: string | null
  /** Null for a ref that was deleted. */
  after_oid: string | null
  /** Null until the queue has counted them. */
  commit_count: number | null
  commit_title: string | null
  created_at: Instant
}
