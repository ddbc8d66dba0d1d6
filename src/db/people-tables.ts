/** The tables around people and spaces: what users say of themselves, how they sign in, what groups and projects share. */
import type { Generated, Selectable } from 'kysely'
import type { Day, Instant } from './tables.ts'

/** Every address of every user, the primary ones too: one key space, so that two users can't have one address. */
export interface EmailTable {
  id: Generated<number>
  user_id: number
  email: string
  /** `email` in lower case. */
  email_key: string
  /** The one in `users.email`. */
  is_primary: boolean
  confirmed_at: Instant | null
  created_at: Instant
}

export interface UserStatusTable {
  user_id: number
  /** A name without its colons: `speech_balloon`. */
  emoji: string
  message: string
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

/** What an administrator noted on exactly one of a user, a group and a project. */
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

export interface SessionTable {
  /** SHA-256 of the cookie's value in hexadecimal. */
  digest: string
  user_id: number
  expires_at: Instant
  created_at: Instant
}

export interface ProjectStarTable {
  project_id: number
  user_id: number
  created_at: Instant
}

/** A group whose members have part in a project: each with his level in the group, and at most with this one. */
export interface GroupShareTable {
  id: Generated<number>
  project_id: number
  group_id: number
  access_level: number
  expires_at: Day | null
  created_at: Instant
}

/** Who asks to become a member of exactly one of a project and a group. */
export interface AccessRequestTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  user_id: number
  created_at: Instant
}

/** A picture with a link on the page of exactly one of a project and a group. */
export interface BadgeTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  link_url: string
  image_url: string
  created_at: Instant
}

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

export interface BroadcastMessageTable {
  id: Generated<number>
  message: string
  starts_at: Instant
  ends_at: Instant
  color: string | null
  font: string | null
  created_at: Instant
}

/** How far the last export of a project has come. */
export interface ProjectExportTable {
  project_id: number
  state: 'queued' | 'started' | 'finished' | 'failed'
  /** Set when it is finished. */
  store_key: string | null
  /** In bytes. */
  size: number | null
  error: string | null
  updated_at: Instant
}

export type Email = Selectable<EmailTable>
export type GpgKey = Selectable<GpgKeyTable>
export type Badge = Selectable<BadgeTable>
export type Upload = Selectable<UploadTable>
export type BroadcastMessage = Selectable<BroadcastMessageTable>
export type GroupShare = Selectable<GroupShareTable>
