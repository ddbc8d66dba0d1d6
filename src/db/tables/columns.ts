/**
 * Types of columns. On both engines, instants are ISO 8601 text in UTC with milliseconds and dates are `YYYY-MM-DD`: they sort
 * chronologically and go to the API unchanged.
 */
import type { Generated } from 'kysely'

export type Visibility = 'private' | 'internal' | 'public'
export type Instant = string
export type Day = string
/** The audience of a feature of a project: nobody, its members, or everyone who can see the project. */
export type FeatureLevel = 'disabled' | 'private' | 'enabled'

/** The columns that name what a row is on: exactly one is set. */
export interface IssuableColumns {
  issue_id: number | null
  merge_request_id: number | null
}

/** The subjects of notes and emoji, which snippets have, too; each column is named after its kind. */
export interface NoteableColumns extends IssuableColumns {
  snippet_id: number | null
}

/** Columns that issues and merge requests have in common. */
export interface IssuableFields {
  id: Generated<number>
  iid: number
  /** For a merge request, the target project. */
  project_id: number
  author_id: number
  title: string
  description: string | null
  /** Null if nobody has set it. */
  discussion_locked: boolean | null
  milestone_id: number | null
  /** In seconds. */
  time_estimate: Generated<number>
  /** In seconds: the sum of its time logs. */
  total_time_spent: Generated<number>
  closed_by_id: number | null
  closed_at: Instant | null
  last_edited_at: Instant | null
  last_edited_by_id: number | null
  /** Excludes system notes. */
  user_notes_count: Generated<number>
  upvotes: Generated<number>
  downvotes: Generated<number>
  created_at: Instant
  updated_at: Instant
}
