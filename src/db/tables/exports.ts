/** Exports of projects, and imports of their archives. */
import type { Generated } from 'kysely'
import type { Instant } from './columns.ts'

/** The state of the last export of a project. */
export interface ProjectExportTable {
  project_id: number
  state: 'queued' | 'started' | 'finished' | 'sending' | 'failed'
  /** Description to use in the archive instead of the project's own. */
  description: string | null
  /** The last finished archive; a newer one replaces it. */
  store_key: string | null
  /** The size of that archive, in bytes. */
  size: number | null
  /** How often the export was started. */
  attempts: Generated<number>
  /** Whether an administrator requested it last: then it contains the email addresses of members. */
  with_addresses: Generated<boolean>
  /** Whether the last finished archive contains them: then only administrators may download it. */
  has_addresses: Generated<boolean>
  updated_at: Instant
}

/** The state of the last export of a group. */
export interface GroupExportTable {
  namespace_id: number
  state: 'queued' | 'finished' | 'failed'
  /** The last finished archive; a newer one replaces it. */
  store_key: string | null
  /** The size of that archive, in bytes. */
  size: number | null
  /** How often the export was started since it was requested. */
  attempts: Generated<number>
  /** As for projects: whether an administrator requested it last, and whether the archive has the email addresses of members. */
  with_addresses: boolean
  has_addresses: Generated<boolean>
  requested_at: Instant
  updated_at: Instant
}

/** An archive that is being imported as a project; the row is deleted when that is done or has failed. */
export interface ProjectImportTable {
  project_id: number
  /** The user who sent it; null once deleted. */
  user_id: number | null
  store_key: string
  /** A JSON object of settings that override those of the archive. */
  overrides: string
  /** Path, without its namespace, of the project that the new one replaces in the end; null if it replaces none. */
  replaces_path: string | null
  /** How often the import was started. */
  attempts: Generated<number>
}
