/** Jobs of pipelines: what they run, who may take them, what they left. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

/** With the `commit_statuses` row of the same id. */
export interface CiJobTable {
  id: number
  project_id: number
  pipeline_id: number
  when_to_run: 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed'
  /** Names of jobs, as JSON; null: it waits for all earlier stages. */
  needs: string | null
  /** As JSON, sorted. */
  tags: Generated<string>
  interruptible: Generated<boolean>
  /** The `PlannedJob` of `ci/plan.ts`, as JSON. */
  plan: string
  /** Variables given when it was played, sealed JSON. */
  played_variables: string | null
  /** How often it was retried by itself. */
  attempt: Generated<number>
  /** When a delayed job starts. */
  scheduled_at: Instant | null
  /** The limit that holds for the job; set when a runner takes it. */
  timeout_s: number | null
  environment_id: number | null
  resource_group_id: number | null
  /** The pipeline that a bridge started. */
  downstream_project_id: number | null
  /** The digest of its token, which holds while the job runs; null until then. */
  token_digest: string | null
  runner_manager_id: number | null
  /** The id tokens it was given (`id_tokens`), sealed JSON: its trace hides them. */
  id_tokens: string | null
  /** Variables it reported, sealed JSON. */
  dotenv: string | null
  exit_code: number | null
  /** Whether its runner runs `after_script` when the job is canceled, and reports when it is done. */
  cancels_gracefully: Generated<boolean>
  /** When its runner was told to stop: it runs on until the runner reports. */
  canceling_at: Instant | null
  /** Whether its trace has all its variables in it (`CI_DEBUG_TRACE`): it is for those who may run pipelines. */
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
  /** Bytes received, in one piece from the first on. */
  length: Generated<number>
  /** Bytes that may be shown: without what could be the beginning of a masked value while more may come. */
  shown: Generated<number>
  /** The checksum of the bytes received, as they were before masking. */
  crc32: Generated<number>
  /** The key of the stored object, compressed; null until then. */
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
