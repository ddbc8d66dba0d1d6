/** The tables of the other two roads into a repository: keys for SSH, large files and their objects. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../tables.ts'

/** A public key. A user signs in with his own; a deploy key belongs to projects. The key itself is there only once. */
export interface SshKeyTable {
  id: Generated<number>
  kind: 'user' | 'deploy'
  /** Whose key it is: set for a user's key alone. */
  user_id: number | null
  /** Who made a deploy key: pushes with it are his. Null once that user is gone, and for a user's key. */
  creator_id: number | null
  title: string
  /** `ssh-ed25519` and the like. */
  type: string
  /** The key in the form of the wire, in base64. */
  blob: string
  /** What stands behind the key, and is no part of it. */
  comment: string
  bits: number
  /** In base64 without padding, as `ssh-keygen -l` shows it after `SHA256:`. Unique over all keys. */
  fingerprint_sha256: string
  /** Sixteen pairs of hexadecimal digits, parted by colons. */
  fingerprint_md5: string
  /** Whether any project may enable it: for deploy keys. */
  public: boolean
  created_at: Instant
  last_used_at: Instant | null
}

/** Where a deploy key opens, and whether it may push there. */
export interface DeployKeyProjectTable {
  key_id: number
  project_id: number
  can_push: boolean
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

/** A large file, kept once for the whole instance. */
export interface LfsObjectTable {
  /** SHA-256 of its content in hexadecimal. */
  oid: string
  /** In bytes. */
  size: number
  /** Where it is in the objects store. */
  store_key: string
  created_at: Instant
  /** Since when no project is known to have it; null while one has. */
  orphaned_at: Instant | null
}

/** A project that has proved to possess a large file, by sending it. */
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

/** What `git-lfs-authenticate` hands out: short-lived, and good for the large files of one project. */
export interface LfsTokenTable {
  /** SHA-256 of the token in hexadecimal. */
  digest: string
  project_id: number
  /** The key that opened the connection: the token falls with it. */
  key_id: number
  operation: 'download' | 'upload'
  expires_at: Instant
}

export type SshKey = Selectable<SshKeyTable>
export type LfsObject = Selectable<LfsObjectTable>
export type LfsLock = Selectable<LfsLockTable>
export type LfsToken = Selectable<LfsTokenTable>
