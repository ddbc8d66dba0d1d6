/** Activity events. */
import type { Generated } from 'kysely'
import type { Instant, NoteableColumns } from './columns.ts'

export type EventAction =
  | 'created'
  | 'updated'
  | 'closed'
  | 'reopened'
  | 'destroyed'
  | 'pushed'
  | 'commented'
  | 'joined'
  | 'left'
  | 'expired'
  | 'merged'
  | 'approved'

/** An action of a user, or a note. A push has a row for each ref, without a target. */
export interface EventTable extends NoteableColumns {
  id: Generated<number>
  project_id: number | null
  author_id: number
  action: EventAction
  /** Null for pushes, memberships and projects. */
  target_type: 'Issue' | 'MergeRequest' | 'Milestone' | 'Note' | 'WikiPage' | null
  note_id: number | null
  /** Null once the milestone is deleted. */
  milestone_id: number | null
  /** Full name, `refs/heads/main`; null if it is not a push. */
  ref: string | null
  /** Null if the ref was created. */
  before_oid: string | null
  /** Null if the ref was deleted. */
  after_oid: string | null
  /** Null until a job has counted them. */
  commit_count: number | null
  commit_title: string | null
  /** A wiki page as it was called then: pages have no rows. `after_oid` is the commit of the wiki. */
  wiki_slug: string | null
  wiki_title: string | null
  wiki_format: string | null
  created_at: Instant
}
