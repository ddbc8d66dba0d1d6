/**
 * The plan of a pipeline, which a CI configuration becomes, and the input of planning. Types only, named after the keywords of the
 * configuration, so that rows of jobs and the payload of runners need no translation. YAML is read with every scalar as a string, and
 * interpreted as the parser of release 11.3 does (`yes`, `0755`), since files were tested with that; in YAML 1.2, `allow_failure: yes`
 * would be an error. A JSON schema would produce error messages that nobody searches for, and can't express relations between jobs.
 */

/** The trigger of a pipeline: values of `CI_PIPELINE_SOURCE`. */
export const pipelineSources = [
  'push',
  'web',
  'trigger',
  'schedule',
  'api',
  'external',
  'pipeline',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
] as const
export type PipelineSource = (typeof pipelineSources)[number]

export const jobWhens = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const
/** When a job runs. `never` of rules isn't included: such a job is not part of the plan. */
export type JobWhen = (typeof jobWhens)[number]

/** The result of planning: a plan, or why no pipeline is created. */
export type Planned =
  | { outcome: 'planned'; plan: Plan }
  /**
   * `workflow:rules` exclude it, or no jobs remain: no pipeline is created, but nothing is wrong. `message` is for whoever requested it.
   */
  | { outcome: 'filtered' | 'empty'; message: string }
  /** The file is valid, but not in this context: a job needs one that isn't part of this pipeline. Becomes `yaml_errors`. */
  | { outcome: 'invalid'; errors: string[] }

/** A pipeline to be created. Job names are unique, and every reference to a job is to one of `jobs`. */
export interface Plan {
  /** `workflow:name` with variables expanded; null if there is none. */
  name: string | null
  auto_cancel: { on_new_commit: 'conservative' | 'interruptible' | 'none'; on_job_failure: 'none' | 'all' }
  /** Stages with at least one job, in order. `position` counts all declared stages, so it may have gaps. */
  stages: { name: string; position: number }[]
  /** Ordered by stage, then as in the file. */
  jobs: PlannedJob[]
  /** Suspicious but valid things, for lint and for the page of the pipeline. */
  warnings: string[]
}

export interface PlannedJob {
  /** At most 255 characters: `rspec`; for parallel jobs `rspec 1/3` or `deploy: [aws, app1]`. */
  name: string
  /** The key in the file: `rspec` for each of the parallel jobs. */
  base_name: string
  stage: string
  /** The stage's `position`. */
  stage_idx: number
  when: JobWhen
  /** Whether the pipeline succeeds even if this job fails; for a manual job, whether the pipeline continues without it. */
  allow_failure: boolean
  /** `allow_failure:exit_codes`: only failures with one of these are allowed; null if any is. */
  allow_failure_exit_codes: number[] | null
  /** For delayed jobs, seconds to wait from when it could start. */
  start_in_s: number | null
  tags: string[]
  /** The jobs it waits for. Null: all jobs of earlier stages. Empty: it starts at once. */
  needs: PlannedNeed[] | null
  /** Jobs whose artifacts it gets. Null: all that it waits for. Empty: none. With `needs`, those with `artifacts`. */
  dependencies: string[] | null
  /** Variables of the file for this job, each key once: global ones, those of `workflow:rules`, its own, those of its rule. */
  variables: PlannedVariable[]
  environment: PlannedEnvironment | null
  /** A regular expression in RE2 syntax without slashes; null for the one of the project. */
  coverage: string | null
  retry: { max: number; when: string[]; exit_codes: number[] }
  /** Seconds; null for the project's default. */
  timeout_s: number | null
  interruptible: boolean
  /** With variables expanded; jobs with the same key in a project run one at a time. */
  resource_group: string | null
  /** `CI_NODE_INDEX` (from 1) and `CI_NODE_TOTAL`; null for a job that isn't parallel. */
  parallel: { index: number; total: number } | null
  /** Set if it starts another pipeline instead of running on a runner (a "bridge"). `options.script` is empty then. */
  trigger: PlannedTrigger | null
  /** `manual_confirmation`: the question before a manual job is started. */
  manual_confirmation: string | null
  /** The basis of the payload for the runner, stored unchanged as JSON. */
  options: JobOptions
}

export interface PlannedNeed {
  /** The name of a job of this plan. */
  name: string
  /** Whether the job also gets its artifacts. */
  artifacts: boolean
}

/** In the format of runners and expressions. Values contain `$OTHER` as written, and are expanded where they are used. */
export interface PlannedVariable {
  key: string
  value: string
  /** Whether `$` in the value is literal (`expand: false`). */
  raw: boolean
}

/** A variable that is defined outside of the file. */
export interface KnownVariable extends PlannedVariable {
  /** Whether the job gets the path of a file with this value. */
  file: boolean
}

/** A stored variable, limited to the environments in its scope. */
export interface ScopedVariable extends KnownVariable {
  id: number
  environment_scope: string
  /** Precedence by where it is stored: a project over its groups, and groups over the instance. */
  nearness: number
}

export const environmentActions = ['start', 'stop', 'prepare', 'verify', 'access'] as const
export const environmentTiers = ['production', 'staging', 'testing', 'development', 'other'] as const

export interface PlannedEnvironment {
  /** The name, with variables expanded as far as they are known before the job has an id. */
  name: string
  /** As written in the file. */
  name_template: string
  /** As written: it is expanded when the job ends, including the variables that it reported (`dotenv`). */
  url: string | null
  action: (typeof environmentActions)[number]
  /** The job of this plan that stops it; null if the plan has none. */
  on_stop: string | null
  /** Seconds after which it is stopped automatically. */
  auto_stop_in_s: number | null
  deployment_tier: (typeof environmentTiers)[number] | null
}

export interface PlannedTrigger {
  /** Either the full path of a project (variables expanded), or null for a child pipeline. */
  project: string | null
  /** The branch of that project; null for its default branch. */
  branch: string | null
  /** The files of a child pipeline, for `parseIncluded`. Null for another project. */
  include: IncludeEntry[] | null
  /** Whether the job takes the status of the pipeline (`depend`, `mirror`), or succeeds at once (null). */
  strategy: 'depend' | 'mirror' | null
  forward: { yaml_variables: boolean; pipeline_variables: boolean }
  /** Values for the inputs of the file, with variables expanded. Absent in plans from before inputs were supported. */
  inputs?: Record<string, PlainValue>
}

export interface JobOptions {
  before_script: string[]
  script: string[]
  after_script: string[]
  image: JobImage | null
  services: JobService[]
  artifacts: JobArtifacts | null
  /** In the order of the file; may be empty. */
  cache: JobCache[]
  /** Absent in plans from before they were supported. */
  id_tokens?: JobIdToken[]
  /** `hooks:pre_get_sources_script`. */
  pre_get_sources_script: string[]
  /** `needs:project` and `needs:pipeline`: artifacts of jobs in other pipelines. */
  cross_dependencies: CrossDependency[]
  /** `pages`; null if the job publishes none. */
  pages: { publish: string } | null
  /** `release:` as written, or null. The runner's release tool executes it. */
  release: Record<string, unknown> | null
}

export interface JobImage {
  name: string
  entrypoint: string[] | null
  pull_policy: string[] | null
  executor_opts: { docker?: { platform?: string; user?: string }; kubernetes?: { user?: string | number } } | null
}

export interface JobService extends JobImage {
  alias: string | null
  command: string[] | null
  variables: PlannedVariable[]
}

/** A variable with a token for these audiences, signed by the instance. Variables in them are expanded when a runner takes the job. */
export interface JobIdToken {
  key: string
  aud: string[]
}

export interface JobArtifacts {
  name: string | null
  untracked: boolean
  paths: string[]
  exclude: string[]
  when: 'on_success' | 'on_failure' | 'always'
  /** As written (`1 week`, `never`), as runners get it. Null: the default of the instance. */
  expire_in: string | null
  /** `expire_in` in seconds; null for never and for the default. */
  expire_in_s: number | null
  expose_as: string | null
  public: boolean
  /** Paths by report type (`junit`, `dotenv`, …). `coverage_report` has a separate format. */
  reports: Record<string, string[]>
  coverage_format: string | null
}

export interface JobCache {
  /** With variables unexpanded, as runners get it. A key computed from files is in `key_files`. */
  key: string
  /** `key:files`: the key is `prefix` and a digest of the last commits of these files, or of their contents for `by: blobs`. */
  key_files: { files: string[]; prefix: string | null } | null
  fallback_keys: string[]
  paths: string[]
  untracked: boolean
  policy: 'pull-push' | 'pull' | 'push'
  when: 'on_success' | 'on_failure' | 'always'
  unprotect: boolean
}

export type CrossDependency =
  | { project: string; ref: string; job: string; artifacts: boolean }
  /** A job of the parent pipeline, or of a child of the same parent. */
  | { pipeline: string; job: string; artifacts: boolean }

/** A value of `inputs`, as JSON. */
export type PlainValue = string | number | boolean | null | PlainValue[] | { [key: string]: PlainValue }

/** A parsed entry of `include`; the loader gets it together with where it was written. */
export type IncludeEntry = IncludeSource & { inputs?: Record<string, PlainValue> }

export type IncludeSource =
  | { kind: 'local'; file: string }
  | { kind: 'project'; project: string; ref: string | null; file: string }
  | { kind: 'template'; file: string }
  | { kind: 'remote'; url: string }
  /** `host/group/project/name@version`. */
  | { kind: 'component'; component: string }
  /** For child pipelines only: a file in the artifacts of a job. */
  | { kind: 'artifact'; file: string; job: string }

/**
 * Loads an included file with at most this many characters. `from` is what this loader returned for the including file; null for the first
 * file.
 */
export type IncludeLoader<Origin = unknown> = (
  entry: IncludeEntry,
  from: Origin | null,
  max_chars: number,
) => Promise<LoadedInclude<Origin>>

/** `location` identifies the file, for cycles and messages. */
export type LoadedInclude<Origin = unknown> =
  | { file: { location: string; text: string; origin: Origin } }
  /** For wildcards in `local` or `project`: all existing paths. Those that match are loaded one by one, as local files of `origin`. */
  | { among: string[]; origin: Origin }
  /** A sentence for the author of the file. */
  | { error: string; isEmpty?: boolean }

/** The input of decisions about jobs, and about includes with rules. Values are only looked up when they are needed. */
export interface PlanContext {
  source: PipelineSource
  /** Short name: `main`, `v1`; for a merge request, its source branch. */
  ref: string
  ref_kind: 'branch' | 'tag' | 'merge_request'
  /** Full path of the project, for `only: [main@group/project]`. */
  project_path: string
  /** Predefined variables, which the file overrides, in ascending precedence. */
  predefined: KnownVariable[]
  /**
   * Variables that override the file, in ascending precedence: of instance, group, project and pipeline (schedule, trigger, API), as
   * visible to jobs in this environment; null for jobs without one, and for decisions that aren't about a job.
   */
  variablesFor: (environment: string | null) => KnownVariable[]
  /**
   * Paths changed by the push or the merge request; with `compareTo`, since that ref. Null if unknown, too many, or there is nothing to
   * compare with: everything counts as changed.
   */
  changedPaths: (compareTo: string | null) => Promise<string[] | null>
  /** All paths of files in the commit; null if there are too many, and every path counts as existing. */
  files: () => Promise<string[] | null>
}

/** The result of `parseConfig(text, loader, context)`. Every message names job and key. */
export type Parsed<Config> =
  | { config: Config; warnings: string[]; includes: IncludedFile[] }
  /** Never empty. The first one becomes `yaml_errors` of a pipeline. */
  | { errors: string[]; warnings: string[]; includes: IncludedFile[] }

/** An included file, in the order of loading. */
export interface IncludedFile {
  kind: IncludeEntry['kind']
  location: string
  /** How it was referenced: project, ref, job. */
  extra: Record<string, string>
}
