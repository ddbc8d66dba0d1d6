/** Mirrors of repositories. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export type MirrorStatus = 'none' | 'scheduled' | 'started' | 'finished' | 'to_retry' | 'failed'

interface MirrorTable {
  id: Generated<number>
  project_id: number
  /** The user who set it up; null once they are gone. */
  user_id: number | null
  /** Sealed, with its credentials. */
  url: string
  auth_method: Generated<'password' | 'ssh_public_key'>
  /** Sealed, in OpenSSH's format; of mirrors over SSH. */
  private_key: string | null
  /** A line for authorized_keys. */
  public_key: string | null
  /** The keys its host may have: `type base64`, a line each. Null until the first connection pins the one it sees. */
  host_keys: string | null
  /** RE2; null for all branches. */
  mirror_branch_regex: string | null
  update_status: Generated<MirrorStatus>
  /** Without secrets. */
  last_error: string | null
  last_update_at: Instant | null
  last_update_started_at: Instant | null
  last_successful_update_at: Instant | null
  /** Runs in a row that failed. */
  failures: Generated<number>
  /** The run under way, so that there is one at a time; until when, should its process die. */
  runner: string | null
  running_until: Instant | null
  created_at: Instant
  updated_at: Instant
}

export interface PushMirrorTable extends MirrorTable {
  enabled: Generated<boolean>
  only_protected_branches: Generated<boolean>
  /** Whether branches and tags that others have moved at the remote stay as they are. */
  keep_divergent_refs: Generated<boolean>
}

export interface PullMirrorTable extends MirrorTable {
  enabled: Generated<boolean>
  only_protected_branches: Generated<boolean>
  /** Whether branches that have commits of their own here are overwritten. */
  overwrites_diverged_branches: Generated<boolean>
  trigger_builds: Generated<boolean>
  next_update_at: Instant | null
}

export type PushMirror = Selectable<PushMirrorTable>
export type PullMirror = Selectable<PullMirrorTable>
