/** Secure files of projects. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export interface SecureFileTable {
  id: Generated<number>
  project_id: number
  name: string
  /** SHA-256 of the file, in hexadecimal. */
  checksum: string
  /** The size of the object in bytes. */
  size: number
  /** The key of the sealed object. */
  store_key: string
  created_at: Instant
}

export type SecureFile = Selectable<SecureFileTable>
