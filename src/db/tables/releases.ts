/** Releases. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface ReleaseTable {
  id: Generated<number>
  project_id: number
  tag_name: string
  description: string
  created_at: Instant
  updated_at: Instant
}

export type Release = Selectable<ReleaseTable>
