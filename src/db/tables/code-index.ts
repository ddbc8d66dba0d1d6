/** The index of code: which files of it contain what (decision 81). */
import type { Generated } from 'kysely'
import type { Instant } from './columns.ts'

/** A file of the index. */
export interface CodeSegmentTable {
  id: Generated<number>
  /** Name in the folder of the index; never reused. */
  file: string
  docs: number
  /** The size of the file. */
  bytes: number
  created_at: Instant
}

/** The documents of a project in a segment, which have consecutive numbers. */
export interface CodePartTable {
  segment_id: number
  project_id: number
  first_doc: number
  docs: number
  /** Documents that are no longer in the default branch: their numbers in the segment, as a JSON array. */
  removed: string
}

/** The state of the index for each project. */
export interface CodeProjectTable {
  project_id: number
  /** The commit whose files are indexed; null if none is. */
  commit_oid: string | null
  /** How many pushes have moved the default branch since the project was first indexed. */
  wanted: number
  /** How many of them are indexed. */
  done: number
}
