/**
 * What a CI configuration becomes: the plan a pipeline is made from, and what planning has to know. Types, and the words they are made
 * of, in the names of the keywords of the configuration, so that rows of jobs and the payload of runners need no translation.
 *
 * YAML is read with every scalar a string, and interpreted as the parser of release 11.3 does (`yes`, `0755`), as that is what files were tested
 * with; YAML 1.2 would make `allow_failure: yes` an error. A JSON schema would word errors in ways nobody searches for, and can't say what one
 * job must be to another.
 */

/** How a pipeline came to be, in the words of `CI_PIPELINE_SOURCE`. */
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
/** When a job runs. `never` of rules isn't here: such a job is not part of the plan. */
export type JobWhen = (typeof jobWhens)[number]

/** What follows from planning: a plan, or why no pipeline is made. */
export type Planned =
  | { outcome: 'planned'; plan: Plan }
  /** `workflow:rules` don't want it, or no job remains: nothing is made, and nothing is wrong. `message` is for those who asked. */
  | { outcome: 'filtered' | 'empty'; message: string }
  /** Right as a file, impossible here: a job needs one that isn't part of this pipeline. Becomes `yaml_errors`. */
  | { outcome: 'invalid'; errors: string[] }

/** A pipeline to be made. Job names are unique in it, and everything that names a job names one of `jobs`. */
export interface Plan {
  /** `workflow:name`, variables expanded; null when it has none. */
  name: string | null
  auto_cancel: { on_new_commit: 'conservative' | 'interruptible' | 'none'; on_job_failure: 'none' | 'all' }
  /** Stages with at least one job, in order. `position` counts the stages declared, so it may have gaps. */
  stages: { name: string; position: number }[]
  /** By stage, and within a stage in the order of the file. */
  jobs: PlannedJob[]
  /** What is odd, but no error; for lint and for the page of the pipeline. */
  warnings: string[]
}

export interface PlannedJob {
  /** At most 255 characters: `rspec`, of parallel ones `rspec 1/3` or `deploy: [aws, app1]`. */
  name: string
  /** The key in the file: `rspec` for each of the parallel ones. */
  base_name: string
  stage: string
  /** The stage's `position`. */
  stage_idx: number
  when: JobWhen
  /** Whether a failure is no failure of the pipeline; of a manual job: whether the pipeline goes on without it. */
  allow_failure: boolean
  /** `allow_failure:exit_codes`: only a failure with one of these is allowed; null when it depends on nothing. */
  allow_failure_exit_codes: number[] | null
  /** Of delayed jobs: seconds between when it could start and when it does. */
  start_in_s: number | null
  tags: string[]
  /** The jobs it waits for. Null: all jobs of earlier stages. Empty: it starts at once. */
  needs: PlannedNeed[] | null
  /** Jobs whose artifacts it gets. Null: of all it waits for. Empty: none. With `needs`, it's those with `artifacts`. */
  dependencies: string[] | null
  /** Variables of the file for this job, each key once: global ones, those of `workflow:rules`, its own, those of its rule. */
  variables: PlannedVariable[]
  environment: PlannedEnvironment | null
  /** A regular expression in RE2's syntax, without slashes; null for the project's own. */
  coverage: string | null
  retry: { max: number; when: string[]; exit_codes: number[] }
  /** Seconds; null for the project's. */
  timeout_s: number | null
  interruptible: boolean
  /** Variables expanded; jobs with the same key in a project run one after the other. */
  resource_group: string | null
  /** `CI_NODE_INDEX` (from 1) and `CI_NODE_TOTAL`; null for jobs that aren't parallel. */
  parallel: { index: number; total: number } | null
  /** It starts another pipeline instead of running on a runner (a "bridge"). Its `options.script` is empty then. */
  trigger: PlannedTrigger | null
  /** `manual_confirmation`: what to ask before a manual job is played. */
  manual_confirmation: string | null
  /** What the payload of the runner is made from. Stored as it is, as JSON. */
  options: JobOptions
}

export interface PlannedNeed {
  /** The name of a job of this plan. */
  name: string
  /** Whether it also gets its artifacts. */
  artifacts: boolean
}

/** As runners and expressions get it. Values hold `$OTHER` as written; expanding happens where they are used. */
export interface PlannedVariable {
  key: string
  value: string
  /** True: `$` in the value means itself (`expand: false`). */
  raw: boolean
}

/** A variable from outside of the file. */
export interface KnownVariable extends PlannedVariable {
  /** True: the job sees the path of a file with this value in it. */
  file: boolean
}

/** One that is stored, for the environments that its scope covers. */
export interface ScopedVariable extends KnownVariable {
  id: number
  environment_scope: string
  /** Of where it is stored: the project is nearer than its groups, and these than the instance. */
  nearness: number
}

export const environmentActions = ['start', 'stop', 'prepare', 'verify', 'access'] as const
export const environmentTiers = ['production', 'staging', 'testing', 'development', 'other'] as const

export interface PlannedEnvironment {
  /** The name, variables expanded as far as they are known before the job has an id. */
  name: string
  /** As written in the file. */
  name_template: string
  /** As written: it is expanded when the job ends, with what it reported (`dotenv`). */
  url: string | null
  action: (typeof environmentActions)[number]
  /** The job of this plan that stops it; null where the plan has none. */
  on_stop: string | null
  /** Seconds after which it stops by itself. */
  auto_stop_in_s: number | null
  deployment_tier: (typeof environmentTiers)[number] | null
}

export interface PlannedTrigger {
  /** Either a project's full path (variables expanded), or files that make up a child pipeline. */
  project: string | null
  /** The branch of that project; null for its default branch. */
  branch: string | null
  /** Of a child pipeline: what to include, to be given to `parseIncluded`. Null for another project. */
  include: IncludeEntry[] | null
  /** Whether the job ends as the pipeline does (`depend`, `mirror`), or succeeds at once (null). */
  strategy: 'depend' | 'mirror' | null
  forward: { yaml_variables: boolean; pipeline_variables: boolean }
  /** For the inputs of the file, variables in texts expanded. Absent in plans of before they were supported. */
  inputs?: Record<string, PlainValue>
}

export interface JobOptions {
  before_script: string[]
  script: string[]
  after_script: string[]
  image: JobImage | null
  services: JobService[]
  artifacts: JobArtifacts | null
  /** In the order of the file; empty for none. */
  cache: JobCache[]
  /** Absent in plans of before they were supported. */
  id_tokens?: JobIdToken[]
  /** `hooks:pre_get_sources_script`. */
  pre_get_sources_script: string[]
  /** `needs:project` and `needs:pipeline`: artifacts of jobs elsewhere. */
  cross_dependencies: CrossDependency[]
  /** `pages`: null for jobs that publish none. */
  pages: { publish: string } | null
  /** `release:` as written; null for none. Its steps are run by the runner's release tool. */
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

/** A variable that holds a token for these audiences, signed by the instance. Variables in them are expanded when the job is taken. */
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
  /** As written (`1 week`, `never`), as runners get it. Null: the instance's default. */
  expire_in: string | null
  /** `expire_in` in seconds; null for never and for the default. */
  expire_in_s: number | null
  expose_as: string | null
  public: boolean
  /** Report type (`junit`, `dotenv`, …) to paths. `coverage_report` has its format apart. */
  reports: Record<string, string[]>
  coverage_format: string | null
}

export interface JobCache {
  /** Variables unexpanded, as runners get it. A key of files is in `key_files`. */
  key: string
  /** `key:files`: the key is made of the last commits (or, for `by: blobs`, contents) of these files, after `prefix`. */
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
  /** A job of the parent, or of a child of the same parent. */
  | { pipeline: string; job: string; artifacts: boolean }

/** A value of `inputs`, as JSON. */
export type PlainValue = string | number | boolean | null | PlainValue[] | { [key: string]: PlainValue }

/** One entry of `include`, after reading; the loader gets it with where it was written. */
export type IncludeEntry = IncludeSource & { inputs?: Record<string, PlainValue> }

export type IncludeSource =
  | { kind: 'local'; file: string }
  | { kind: 'project'; project: string; ref: string | null; file: string }
  | { kind: 'template'; file: string }
  | { kind: 'remote'; url: string }
  /** `host/group/project/name@version`. */
  | { kind: 'component'; component: string }
  /** Of child pipelines alone: a file in the artifacts of a job. */
  | { kind: 'artifact'; file: string; job: string }

/**
 * Loads an included file of up to so many characters. `from` is what this loader gave with the file it is written in; null in the first
 * file.
 */
export type IncludeLoader<Origin = unknown> = (
  entry: IncludeEntry,
  from: Origin | null,
  max_chars: number,
) => Promise<LoadedInclude<Origin>>

/** `location` tells files apart, for cycles and messages. */
export type LoadedInclude<Origin = unknown> =
  | { file: { location: string; text: string; origin: Origin } }
  /** Where `local` or `project` has wildcards: all files there are. Those that match are loaded one by one, as local files of `origin`. */
  | { among: string[]; origin: Origin }
  /** One sentence for the author of the file. */
  | { error: string; isEmpty?: boolean }

/** What decides about jobs, and about includes with rules. Nothing in it is looked up before something asks for it. */
export interface PlanContext {
  source: PipelineSource
  /** Short name: `main`, `v1`; of a merge request the name of its source branch. */
  ref: string
  ref_kind: 'branch' | 'tag' | 'merge_request'
  /** Full path of the project, for `only: [main@group/project]`. */
  project_path: string
  /** Variables below those of the file (predefined ones), in ascending precedence. */
  predefined: KnownVariable[]
  /**
   * Variables above those of the file, in ascending precedence: of instance, group, project and pipeline (schedule, trigger, API), as
   * jobs in this environment see them; null for jobs without one, and for what isn't decided for a job.
   */
  variablesFor: (environment: string | null) => KnownVariable[]
  /**
   * Paths changed by the push or the merge request; with `compareTo`, since that ref. Null: unknown, or too many, or there is
   * nothing to compare with: everything counts as changed.
   */
  changedPaths: (compareTo: string | null) => Promise<string[] | null>
  /** All paths of the commit's files; null when they are too many, and everything counts as being there. */
  files: () => Promise<string[] | null>
}

/** What becomes of a file: `parseConfig(text, loader, context)`. Every message names job and key. */
export type Parsed<Config> =
  | { config: Config; warnings: string[]; includes: IncludedFile[] }
  /** Never empty. The first is what `yaml_errors` of a pipeline holds. */
  | { errors: string[]; warnings: string[]; includes: IncludedFile[] }

/** A file that was included, in the order of loading. */
export interface IncludedFile {
  kind: IncludeEntry['kind']
  location: string
  /** What was asked for: project, ref, job. */
  extra: Record<string, string>
}
