/** Pipelines, and the statuses of commits: external statuses, jobs and bridges. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export type PipelineStatus =
  | 'created'
  | 'waiting_for_resource'
  | 'pending'
  | 'running'
  | 'success'
  | 'failed'
  | 'canceled'
  | 'skipped'
  | 'manual'
  | 'scheduled'

export interface PipelineTable {
  id: Generated<number>
  /** Its number in the project. */
  iid: number
  project_id: number
  /** Short name of a branch or tag; for merge requests, the full name of their ref. */
  ref: string
  sha: string
  /** The tip of the source branch that a pipeline of a merge result counts for; its own commit is a trial merge. */
  source_sha: string | null
  /** The tip before the push; null if there was none. */
  before_sha: string | null
  tag: boolean
  /** A value of `CI_PIPELINE_SOURCE`; `external` for statuses reported through the API. */
  source: string
  name: string | null
  status: PipelineStatus
  /** Null if the file is valid or absent. */
  yaml_errors: string | null
  failure_reason: string | null
  /** Whether its ref was protected when it was created: only then it may use protected variables and runners. */
  protected: Generated<boolean>
  /** Which of its jobs a newer pipeline for the same ref may cancel. */
  auto_cancel: Generated<'conservative' | 'interruptible' | 'none'>
  /** Whether the first failed job cancels the others. */
  cancel_on_job_failure: Generated<boolean>
  user_id: number | null
  merge_request_id: number | null
  trigger_id: number | null
  schedule_id: number | null
  /** In percent. */
  coverage: number | null
  duration_s: number | null
  queued_duration_s: number | null
  committed_at: Instant | null
  created_at: Instant
  updated_at: Instant
  started_at: Instant | null
  finished_at: Instant | null
}

export interface PipelineVariableTable {
  pipeline_id: number
  key: string
  /** Sealed. */
  value: string
  kind: Generated<'env_var' | 'file'>
  raw: Generated<boolean>
}

/** A pipeline that was started by a bridge of another one. */
export interface DownstreamPipelineTable {
  pipeline_id: number
  job_id: number
}

/** A status in a pipeline. `job`: runs on a runner; `bridge`: starts a pipeline. Both have a row with the same id in `ci_jobs`. */
export interface CommitStatusTable {
  id: Generated<number>
  project_id: number
  pipeline_id: number
  kind: Generated<'external' | 'job' | 'bridge'>
  sha: string
  ref: string
  tag: Generated<boolean>
  name: string
  stage: string
  stage_idx: Generated<number>
  status: PipelineStatus
  /** Whether a newer status has this name, so that this one no longer counts. */
  retried: Generated<boolean>
  protected: Generated<boolean>
  failure_reason: string | null
  target_url: string | null
  description: string | null
  /** In percent. */
  coverage: number | null
  allow_failure: boolean
  author_id: number | null
  runner_id: number | null
  created_at: Instant
  updated_at: Instant | null
  queued_at: Instant | null
  started_at: Instant | null
  finished_at: Instant | null
}

export type Pipeline = Selectable<PipelineTable>
export type CommitStatus = Selectable<CommitStatusTable>
