/**
 * Types of columns. Instants are ISO 8601 text in UTC with milliseconds, dates `YYYY-MM-DD`, on both engines: they sort as they
 * read and go to the API as they are.
 */

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
