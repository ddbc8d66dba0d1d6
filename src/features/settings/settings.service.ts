/** Settings of the whole instance (spec 2.21): those that have effect so far, and their defaults. */
import type { Db } from '../../db/database.ts'
import { prepared } from '../../db/prepared.ts'
import type { Visibility } from '../../db/tables.ts'

export interface Settings {
  /** What is chosen where nobody chooses. */
  default_project_visibility: Visibility
  default_group_visibility: Visibility
  default_snippet_visibility: Visibility
  /** Only administrators may choose these. */
  restricted_visibility_levels: Visibility[]
  /** The projects a new user may have of his own. */
  default_projects_limit: number
  user_default_external: boolean
  /** Whether anybody may make himself an account, and with which addresses; `*.example.com` has all below it. */
  signup_enabled: boolean
  domain_whitelist: string[]
  domain_blacklist_enabled: boolean
  domain_blacklist: string[]
  send_user_confirmation_email: boolean
  /** Whether nothing is served to users who have not accepted the terms, which are Markdown. */
  enforce_terms: boolean
  terms: string | null
  password_authentication_enabled_for_git: boolean
  password_authentication_enabled_for_web: boolean
  /** In minutes. */
  session_expire_delay: number
  /** In MB. */
  max_attachment_size: number
  /** What projects may be imported from; `git`: a repository by its URL, `gitlab_project`: an archive. */
  import_sources: string[]
  project_export_enabled: boolean
  /** Whether requests that users make the server send may go to addresses of its own network. */
  allow_local_requests_from_hooks_and_services: boolean
  /** By what clients should multiply the time between two questions; 0: they should not ask again. */
  polling_interval_multiplier: number
  /** Where those are sent who come to the root of the address without being signed in. */
  home_page_url: string | null
  sign_in_text: string | null
  help_page_text: string | null
  help_page_support_url: string | null
  after_sign_out_path: string | null
  after_sign_up_text: string | null
  /** Whether the keys are also written to a file, for an SSH server of the machine. */
  authorized_keys_enabled: boolean
  /** 0: a new default branch is not protected. 1: developers may push to it. 2: they may not. 3: they may merge into it. */
  default_branch_protection: 0 | 1 | 2 | 3
  /** The only road git may come by; null for both. */
  enabled_git_access_protocol: 'ssh' | 'http' | null
  /** Least size of a key in bits, by its family: 0 for any, -1 for none at all. */
  rsa_key_restriction: number
  dsa_key_restriction: number
  ecdsa_key_restriction: number
  ed25519_key_restriction: number
  /** Whether repositories are kept in order after pushes. */
  housekeeping_enabled: boolean
  housekeeping_bitmaps_enabled: boolean
  /** Numbers of pushes; where one is set it counts besides the need. */
  housekeeping_incremental_repack_period: number | null
  housekeeping_full_repack_period: number | null
  housekeeping_gc_period: number | null
}

export const defaults: Settings = {
  default_project_visibility: 'private',
  default_group_visibility: 'private',
  default_snippet_visibility: 'private',
  restricted_visibility_levels: [],
  default_projects_limit: 100_000,
  user_default_external: false,
  signup_enabled: true,
  domain_whitelist: [],
  domain_blacklist_enabled: false,
  domain_blacklist: [],
  send_user_confirmation_email: false,
  enforce_terms: false,
  terms: null,
  password_authentication_enabled_for_git: true,
  password_authentication_enabled_for_web: true,
  session_expire_delay: 10_080,
  max_attachment_size: 10,
  import_sources: ['git', 'gitlab_project'],
  project_export_enabled: true,
  allow_local_requests_from_hooks_and_services: false,
  polling_interval_multiplier: 1,
  home_page_url: null,
  sign_in_text: null,
  help_page_text: null,
  help_page_support_url: null,
  after_sign_out_path: null,
  after_sign_up_text: null,
  authorized_keys_enabled: true,
  default_branch_protection: 2,
  enabled_git_access_protocol: null,
  rsa_key_restriction: 0,
  dsa_key_restriction: 0,
  ecdsa_key_restriction: 0,
  ed25519_key_restriction: 0,
  housekeeping_enabled: true,
  housekeeping_bitmaps_enabled: true,
  housekeeping_incremental_repack_period: null,
  housekeeping_full_repack_period: null,
  housekeeping_gc_period: null,
}

const stored = prepared((db: Db) => db.selectFrom('settings').selectAll())

/** All settings as they are now. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await stored(db)
  return { ...defaults, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** Sets what is given and leaves the others. */
export async function writeSettings(db: Db, change: Partial<Settings>): Promise<void> {
  for (const [name, value] of Object.entries(change)) {
    const row = { name, value: JSON.stringify(value) }
    await db
      .insertInto('settings')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute()
  }
}
