/** Exports of projects, and imports of their archives. */
import type { Generated } from 'kysely'
import type { Instant } from './columns.ts'

/** How far the last export of a project has come. */
export interface ProjectExportTable {
  project_id: number
  state: 'queued' | 'started' | 'finished' | 'sending' | 'failed'
  /** Description in the archive, in place of the project's own. */
  description: string | null
  /** The last archive that was finished; a newer one takes its place. */
  store_key: string | null
  /** The size of that archive, in bytes. */
  size: number | null
  /** How often it was started. */
  attempts: Generated<number>
  /** Whether an administrator requested it last: then it contains the email addresses of members. */
  with_addresses: Generated<boolean>
  /** Whether the last finished archive contains them: then only administrators may download it. */
  has_addresses: Generated<boolean>
  updated_at: Instant
}

/** An archive that is being imported as a project; deleted when that is done or has failed. */
export interface ProjectImportTable {
  project_id: number
  /** The user who sent it; null once deleted. */
  user_id: number | null
  store_key: string
  /** A JSON object of settings that count instead of the archive's. */
  overrides: string
  /** The path, without its namespace, of the project that the new one takes the place of in the end; null for a new place. */
  replaces_path: string | null
  /** How often it was started. */
  attempts: Generated<number>
}
