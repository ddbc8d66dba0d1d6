/** Mirrors of repositories. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export type MirrorStatus = 'none' | 'scheduled' | 'started' | 'finished' | 'to_retry' | 'failed'

interface MirrorTable {
  id: Generated<number>
  project_id: number
  /** The user who set it up; null once deleted. */
  user_id: number | null
  /** Sealed, including credentials. */
  url: string
  auth_method: Generated<'password' | 'ssh_public_key'>
  /** For mirrors over SSH: sealed, in OpenSSH format. */
  private_key: string | null
  /** A line for authorized_keys. */
  public_key: string | null
  /** Accepted keys of the host: `type base64`, one per line. Null until the first connection pins the key it sees. */
  host_keys: string | null
  /** RE2; null for all branches. */
  mirror_branch_regex: string | null
  update_status: Generated<MirrorStatus>
  /** Free of secrets. */
  last_error: string | null
  last_update_at: Instant | null
  last_update_started_at: Instant | null
  last_successful_update_at: Instant | null
  /** Consecutive failed runs. */
  failures: Generated<number>
  /** The process of the current run, so that there is only one; and until when, in case it dies. */
  runner: string | null
  running_until: Instant | null
  created_at: Instant
  updated_at: Instant
}

export interface PushMirrorTable extends MirrorTable {
  enabled: Generated<boolean>
  only_protected_branches: Generated<boolean>
  /** Whether to keep branches and tags that others have moved at the remote. */
  keep_divergent_refs: Generated<boolean>
}

export interface PullMirrorTable extends MirrorTable {
  enabled: Generated<boolean>
  only_protected_branches: Generated<boolean>
  /** Whether to overwrite branches that have commits of their own here. */
  overwrites_diverged_branches: Generated<boolean>
  trigger_builds: Generated<boolean>
  next_update_at: Instant | null
}

export type PushMirror = Selectable<PushMirrorTable>
export type PullMirror = Selectable<PullMirrorTable>
