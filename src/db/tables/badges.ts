/** Badges of projects and groups. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A picture with a link on the page of exactly one of a project and a group. */
export interface BadgeTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  link_url: string
  image_url: string
  created_at: Instant
  /** Null for one that is as it was made. */
  updated_at: Instant | null
}

export type Badge = Selectable<BadgeTable>
