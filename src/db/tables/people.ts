/** The tables around people and spaces: what users say of themselves, how they sign in, what groups and projects share. */
import type { Generated, Selectable } from 'kysely'
import type { Day, Instant } from '../tables.ts'

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
  /** How long it stays without a request, in minutes. */
  lasts_min: number
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
  /** Null for one that is as it was made. */
  updated_at: Instant | null
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
  /** Null for one that is as it was made. */
  updated_at: Instant | null
}

/** How far the last export of a project has come. */
export interface ProjectExportTable {
  project_id: number
  state: 'queued' | 'started' | 'finished' | 'sending' | 'failed'
  /** What the archive says instead of the project's own description. */
  description: string | null
  /** The last archive that was finished; a newer one takes its place. */
  store_key: string | null
  /** Of that archive, in bytes. */
  size: number | null
  /** How often it was begun. */
  attempts: Generated<number>
  /** Whether an administrator asked for it last: then it tells the email addresses of members. */
  with_addresses: Generated<boolean>
  /** Whether the last archive that was finished tells them: then it is for administrators alone. */
  has_addresses: Generated<boolean>
  updated_at: Instant
}

/** How often something failed in a window of time: see `access/rate-limit.ts`. */
export interface SignInFailureTable {
  /** What is counted; digests where it was typed. */
  key: string
  failures: number
  /** When the window ends. */
  ends_at: Instant
}

/** An archive of which a project is being made; gone when that is done, or has failed. */
export interface ProjectImportTable {
  project_id: number
  /** Who sent it; null once he is gone. */
  user_id: number | null
  store_key: string
  /** A JSON object of settings that count instead of the archive's. */
  overrides: string
  /** The path, without its namespace, of the project that the new one takes the place of in the end; null for a new place. */
  replaces_path: string | null
  /** How often it was begun. */
  attempts: Generated<number>
}

export type Email = Selectable<EmailTable>
export type GpgKey = Selectable<GpgKeyTable>
export type Badge = Selectable<BadgeTable>
export type Upload = Selectable<UploadTable>
export type BroadcastMessage = Selectable<BroadcastMessageTable>
export type GroupShare = Selectable<GroupShareTable>
