/** A request to create a pipeline. */
import type { LocatedProject } from '../../../access/find.ts'
import type { IncludeEntry, IncludeLoader, PipelineSource, PlainValue, PlanContext } from '../../../ci/plan.ts'
import type { MergeRequest, Pipeline, User } from '../../../db/tables.ts'
import type { MergeEvent } from '../predefined/predefined.ts'

export interface GivenVariable {
  key: string
  /** In the clear; it is sealed when it is stored. */
  value: string
  kind: 'env_var' | 'file'
  raw: boolean
}

/** Values of inputs of the project's file, by name. */
export type PipelineInputs = Readonly<Record<string, PlainValue>>

export interface PipelineRequest {
  project: LocatedProject
  /** Short name of a branch or tag; for a merge request, its source branch. */
  ref: string
  ref_kind: PlanContext['ref_kind']
  sha: string
  /** The tip before the push; null or absent where there was none. */
  before_sha?: string | null
  source: PipelineSource
  /** The user as whom it runs: files that they can't read are not included, and job tokens have their permissions. */
  user: User
  variables?: readonly GivenVariable[]
  /** Inputs of the project's file (`spec:inputs`). */
  inputs?: PipelineInputs
  merge_request?: MergeRequest | null
  /** Selects the commit to build for the merge request; by default the tip of its source branch. */
  merge_event?: MergeEvent
  /** The tip of the source branch, where the result of merging it is built. */
  source_sha?: string | null
  trigger_id?: number | null
  schedule_id?: number | null
  /** Whether a file with errors creates a failed pipeline with `yaml_errors`, as for pushes and schedules. */
  save_on_errors?: boolean
  /** Set by `git push -o ci.skip`. */
  skips?: boolean
  /** For a downstream pipeline: the bridge and, for a child pipeline, the files to use instead of the project's file. */
  child?: { job_id: number; include: IncludeEntry[] | null; load: IncludeLoader | null }
}

/** `errors` are worded as in the reference: endpoints answer 400 with `{ message: { base: errors } }`. */
export type CreatedPipeline = { pipeline: Pipeline } | { errors: string[] }

/** The serial key of jobs that create pipelines: those of a project run in the order in which they were enqueued. */
export function pipelinesOf(project_id: number): string {
  return `pipelines of ${project_id}`
}
