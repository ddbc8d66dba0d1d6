/** Jobs of pipelines: what they run, who may take them, what they produced. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

/** Extends the `commit_statuses` row with the same id. */
export interface CiJobTable {
  id: number
  project_id: number
  pipeline_id: number
  when_to_run: 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed'
  /** Names of jobs as JSON; null if the job waits for all earlier stages. */
  needs: string | null
  /** A sorted JSON array. */
  tags: Generated<string>
  interruptible: Generated<boolean>
  /** The `PlannedJob` of `ci/plan.ts`, as JSON. */
  plan: string
  /** Variables given when the job was started by hand, as sealed JSON. */
  played_variables: string | null
  /** How often it was retried automatically. */
  attempt: Generated<number>
  /** When a delayed job starts. */
  scheduled_at: Instant | null
  /** The effective timeout, set when a runner takes the job. */
  timeout_s: number | null
  environment_id: number | null
  resource_group_id: number | null
  /** The project of the pipeline that a bridge started. */
  downstream_project_id: number | null
  /** Digest of the token, which is valid while the job runs; null before that. */
  token_digest: string | null
  runner_manager_id: number | null
  /** The id tokens it was given (`id_tokens`), as sealed JSON: they are masked in its trace. */
  id_tokens: string | null
  /** Variables that it reported, as sealed JSON. */
  dotenv: string | null
  exit_code: number | null
  /** Whether its runner runs `after_script` when the job is canceled, and reports when that is done. */
  cancels_gracefully: Generated<boolean>
  /** When its runner was told to stop; the job is running until the runner reports. */
  canceling_at: Instant | null
  /** Whether its trace may contain all its variables (`CI_DEBUG_TRACE`): only users who may run pipelines can read it. */
  prints_variables: Generated<boolean>
  artifacts_expire_at: Instant | null
  erased_at: Instant | null
  erased_by_id: number | null
}

/** A pending job that runners may take. */
export interface CiQueueTable {
  job_id: number
  project_id: number
  /** As in `ci_jobs`. */
  tags: Generated<string>
  protected: Generated<boolean>
  created_at: Instant
}

export interface CiTraceTable {
  job_id: number
  /** Bytes received, contiguous from the beginning. */
  length: Generated<number>
  /** Bytes that may be shown: excludes an end that could be the beginning of a masked value. */
  shown: Generated<number>
  /** Checksum of the received bytes, before masking. */
  crc32: Generated<number>
  /** Size of the stored object, compressed; null until it is stored. */
  size: number | null
  store_key: string | null
}

export interface CiTraceChunkTable {
  job_id: number
  /** Offset of its first byte in the trace. */
  start: number
  bytes: Buffer
}

export interface CiArtifactTable {
  id: Generated<number>
  job_id: number
  project_id: number
  /** `archive`, `metadata`, `junit` … */
  file_type: string
  file_format: 'raw' | 'zip' | 'gzip'
  filename: string
  size: number
  sha256: string | null
  store_key: string
  public: Generated<boolean>
  expires_at: Instant | null
  created_at: Instant
}

export type CiJob = Selectable<CiJobTable>
export type CiArtifact = Selectable<CiArtifactTable>
