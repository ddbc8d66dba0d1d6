/** Custom attributes of users, groups and projects. */
import type { Generated } from 'kysely'
import type { Instant } from './columns.ts'

/** A key and value that an administrator set on exactly one of a user, a group and a project. */
export interface CustomAttributeTable {
  id: Generated<number>
  user_id: number | null
  namespace_id: number | null
  project_id: number | null
  key: string
  value: string
  created_at: Instant
  updated_at: Instant
}
