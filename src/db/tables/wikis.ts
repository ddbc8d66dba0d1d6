/** Wikis of projects and groups. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** The wiki of exactly one of a project and a group. Its repository is named after its id, and created with the row. */
export interface WikiTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  /** The size of its repository, in bytes, as measured after the last push. */
  size: Generated<number>
  push_count: Generated<number>
  created_at: Instant
  /** Null if nothing was ever written to it. */
  pushed_at: Instant | null
}

export type Wiki = Selectable<WikiTable>
