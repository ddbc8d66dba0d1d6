/** Large files: objects, their links to projects, locks, tokens. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A large file, stored once per instance. */
export interface LfsObjectTable {
  /** SHA-256 of its content in hexadecimal. */
  oid: string
  /** In bytes. */
  size: number
  /** Key in the object store. */
  store_key: string
  created_at: Instant
  /** Since when no project has the object; null while one has. */
  orphaned_at: Instant | null
}

/** Links a large file to a project, which has proved to have it by sending it. */
export interface LfsLinkTable {
  project_id: number
  oid: string
  created_at: Instant
}

export interface LfsLockTable {
  id: Generated<number>
  project_id: number
  path: string
  user_id: number
  created_at: Instant
}

/** A token of `git-lfs-authenticate`: short-lived, valid for the large files of one project. */
export interface LfsTokenTable {
  /** SHA-256 of the token in hexadecimal. */
  digest: string
  project_id: number
  /** The key that opened the connection: removing it removes the token. */
  key_id: number
  operation: 'download' | 'upload'
  expires_at: Instant
}

export type LfsObject = Selectable<LfsObjectTable>
export type LfsLock = Selectable<LfsLockTable>
export type LfsToken = Selectable<LfsTokenTable>
