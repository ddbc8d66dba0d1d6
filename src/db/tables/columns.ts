/**
 * Types of columns. Instants are ISO 8601 text in UTC with milliseconds, dates `YYYY-MM-DD`, on both engines: they sort as they
 * read and go to the API as they are.
 */
import type { Generated } from 'kysely'

export type Visibility = 'private' | 'internal' | 'public'
export type Instant = string
export type Day = string
/** For whom a feature of a project is: nobody, its members, or everybody who can see the project. */
export type FeatureLevel = 'disabled' | 'private' | 'enabled'

/** The columns that name what a row is on: exactly one is set. */
export interface IssuableColumns {
  issue_id: number | null
  merge_request_id: number | null
}

/** The same of notes and emoji; each column has the name of its kind. */
export interface NoteableColumns extends IssuableColumns {
  snippet_id: number | null
}

/** What rows of issues and merge requests have in common. */
export interface IssuableFields {
  id: Generated<number>
  iid: number
  /** Of a merge request the target. */
  project_id: number
  author_id: number
  title: string
  description: string | null
  /** Null until somebody has decided. */
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
  /** Notes of people, not of the system. */
  user_notes_count: Generated<number>
  upvotes: Generated<number>
  downvotes: Generated<number>
  created_at: Instant
  updated_at: Instant
}
