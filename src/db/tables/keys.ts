/** Keys: of users, for deployment, for signatures. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

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

export interface GpgKeyTable {
  id: Generated<number>
  user_id: number
  /** ASCII armour, as it was sent. */
  key: string
  /** Of the primary key, in hexadecimal. Unique over all users. */
  fingerprint: string
  created_at: Instant
}

export type SshKey = Selectable<SshKeyTable>
export type GpgKey = Selectable<GpgKeyTable>
