/** What a pipeline is asked for with. */
import type { LocatedProject } from '../../../access/find.ts'
import type { IncludeEntry, IncludeLoader, PipelineSource, PlainValue, PlanContext } from '../../../ci/plan.ts'
import type { MergeRequest, Pipeline, User } from '../../../db/tables.ts'

export interface GivenVariable {
  key: string
  /** In clear; it is sealed when it is stored. */
  value: string
  kind: 'env_var' | 'file'
  raw: boolean
}

export interface PipelineRequest {
  project: LocatedProject
  /** Short name of a branch or tag; of a merge request the name of its source branch. */
  ref: string
  ref_kind: PlanContext['ref_kind']
  sha: string
  /** The tip before the push; null or absent where there was none. */
  before_sha?: string | null
  source: PipelineSource
  /** In whose name it runs: what they can't read is not included, and their permissions are those of the job tokens. */
  user: User
  variables?: readonly GivenVariable[]
  /** Of the project's file (`spec:inputs`). */
  inputs?: Readonly<Record<string, PlainValue>>
  merge_request?: MergeRequest | null
  trigger_id?: number | null
  schedule_id?: number | null
  /** Whether a file with errors makes a failed pipeline with `yaml_errors`; for pushes and schedules it does. */
  save_on_errors?: boolean
  /** `git push -o ci.skip`. */
  skips?: boolean
  /** Of the pipeline that a bridge starts: the bridge, and for a child pipeline what it is made of, in place of the project's file. */
  child?: { job_id: number; include: IncludeEntry[] | null; load: IncludeLoader | null }
}

/** `errors` are in the words of the reference: endpoints answer 400 with `{ message: { base: errors } }`. */
export type CreatedPipeline = { pipeline: Pipeline } | { errors: string[] }

/** The serial key of jobs that create pipelines: those of a project come in the order in which they were enqueued. */
export function pipelinesOf(project_id: number): string {
  return `pipelines of ${project_id}`
}
