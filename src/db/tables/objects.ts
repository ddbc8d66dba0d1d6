/** Objects of the store: uploads, and what nothing refers to. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A file attached to a text of a project. */
export interface UploadTable {
  id: Generated<number>
  project_id: number
  user_id: number | null
  /** 32 hexadecimal digits: part of its address, so that nobody finds it by counting. */
  secret: string
  filename: string
  /** In bytes. */
  size: number
  store_key: string
  created_at: Instant
}

/**
 * Keys in the objects store to which no row refers: not yet, because they are just being stored, or not any more. From the
 * instant on they are removed. An object therefore has its row here before its first byte is stored.
 */
export interface UnreferencedObjectTable {
  key: string
  remove_after: Instant
}

export type Upload = Selectable<UploadTable>
