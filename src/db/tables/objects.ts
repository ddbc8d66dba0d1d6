/** Objects in the store: uploads, and objects without references. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A file attached to a text of a project. */
export interface UploadTable {
  id: Generated<number>
  project_id: number
  user_id: number | null
  /** 32 hexadecimal digits in its URL, so that it can't be found by counting. */
  secret: string
  filename: string
  /** In bytes. */
  size: number
  store_key: string
  created_at: Instant
}

/**
 * Keys in the object store that no row refers to: not yet, because the object is being stored, or no longer. They are removed after the
 * given instant. So an object has a row here before its first byte is stored.
 */
export interface UnreferencedObjectTable {
  key: string
  remove_after: Instant
}

export type Upload = Selectable<UploadTable>
