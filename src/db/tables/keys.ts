/** SSH keys of users, deploy keys, and GPG keys. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A public key of a user, or a deploy key of projects. Unique. */
export interface SshKeyTable {
  id: Generated<number>
  kind: 'user' | 'deploy'
  /** The owner of a user's key; null for a deploy key. */
  user_id: number | null
  /** The creator of a deploy key, who counts as the author of its pushes. Null once deleted, and for a user's key. */
  creator_id: number | null
  title: string
  /** `ssh-ed25519` and the like. */
  type: string
  /** The key in SSH wire format, in base64. */
  blob: string
  /** The comment after the key. */
  comment: string
  bits: number
  /** Base64 without padding, as `ssh-keygen -l` shows it after `SHA256:`. Unique over all keys. */
  fingerprint_sha256: string
  /** Sixteen pairs of hexadecimal digits, separated by colons. */
  fingerprint_md5: string
  /** Whether any project may enable the deploy key. */
  public: boolean
  created_at: Instant
  last_used_at: Instant | null
}

/** The projects of a deploy key, and whether it may push to them. */
export interface DeployKeyProjectTable {
  key_id: number
  project_id: number
  can_push: boolean
  created_at: Instant
}

export interface GpgKeyTable {
  id: Generated<number>
  user_id: number
  /** ASCII-armored, as it was sent. */
  key: string
  /** Fingerprint of the primary key, in hexadecimal. Unique over all users. */
  fingerprint: string
  created_at: Instant
}

export type SshKey = Selectable<SshKeyTable>
export type GpgKey = Selectable<GpgKeyTable>
