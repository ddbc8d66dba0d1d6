/** Comments on commits. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface CommitCommentTable {
  id: Generated<number>
  project_id: number
  commit_oid: string
  author_id: number
  note: string
  /** Null, with line and type, for a comment on the commit as a whole. */
  path: string | null
  line: number | null
  line_type: 'new' | 'old' | null
  created_at: Instant
}

export type CommitComment = Selectable<CommitCommentTable>
