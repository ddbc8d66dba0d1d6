/** Badges of projects and groups. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A linked picture on the page of exactly one of a project and a group. */
export interface BadgeTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  link_url: string
  image_url: string
  created_at: Instant
  /** Null if it was never changed. */
  updated_at: Instant | null
}

export type Badge = Selectable<BadgeTable>
