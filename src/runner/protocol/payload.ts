/** A job in the form in which a runner gets it: the fields that this runner uses, with defaults for absent ones. */

export interface JobVariable {
  key: string
  value: string
  /** Whether the value is written to a file, whose path the variable contains. */
  file: boolean
  masked: boolean
  /** Whether references to other variables in it are kept as they are. */
  raw: boolean
}

export interface Step {
  name: string
  script: string[]
}

export type StoreWhen = 'on_success' | 'on_failure' | 'always'

export interface ArtifactOptions {
  name: string
  untracked: boolean
  paths: string[]
  exclude: string[]
  when: StoreWhen
  /** `archive`, `junit`, `dotenv` … */
  type: string
  format: 'zip' | 'gzip' | 'raw'
  expire_in: string
}

export interface CacheOptions {
  key: string
  fallback_keys: string[]
  untracked: boolean
  paths: string[]
  policy: 'pull-push' | 'pull' | 'push'
  when: StoreWhen
}

export interface Dependency {
  id: number
  name: string
  token: string
  /** Null if the job has no artifacts. */
  filename: string | null
}

export interface GitInfo {
  repo_url: string
  ref: string
  sha: string
  ref_type: 'branch' | 'tag'
  refspecs: string[]
  depth: number
}

export interface JobPayload {
  id: number
  token: string
  allow_git_fetch: boolean
  job_info: { name: string; stage: string; project_id: number; project_name: string }
  git_info: GitInfo
  timeout_s: number
  variables: JobVariable[]
  steps: Step[]
  artifacts: ArtifactOptions[]
  caches: CacheOptions[]
  dependencies: Dependency[]
  /** Passwords for other services, which must never appear in the trace. */
  passwords: string[]
  hasSections: boolean
  failure_reasons: string[]
  image: string | null
}

const defaultTimeout_s = 7_200

/** Parses the reply of `POST /jobs/request`; throws if it isn't a valid job. */
export function readPayload(text: string): JobPayload {
  const body = objectOf(JSON.parse(text))
  const id = numberOf(body.id)
  const token = textOf(body.token)
  if (id <= 0 || token === '') throw new Error('the server sent a job without id or token')
  const info = objectOf(body.job_info)
  const features = objectOf(body.features)
  return {
    id,
    token,
    allow_git_fetch: body.allow_git_fetch === true,
    job_info: {
      name: textOf(info.name),
      stage: textOf(info.stage),
      project_id: numberOf(info.project_id),
      project_name: textOf(info.project_name),
    },
    git_info: readGitInfo(objectOf(body.git_info)),
    timeout_s: numberOf(objectOf(body.runner_info).timeout) || defaultTimeout_s,
    variables: listOf(body.variables).map(readVariable),
    steps: listOf(body.steps).map((step) => ({ name: textOf(step.name), script: textsOf(step.script) })),
    artifacts: listOf(body.artifacts).map(readArtifact),
    caches: listOf(body.cache).map(readCache),
    dependencies: listOf(body.dependencies).map(readDependency),
    passwords: listOf(body.credentials)
      .map(({ password }) => textOf(password))
      .filter((password) => password !== ''),
    hasSections: features.trace_sections === true,
    failure_reasons: textsOf(features.failure_reasons),
    image: textOf(objectOf(body.image).name) || null,
  }
}

type Fields = Record<string, unknown>

function readGitInfo(info: Fields): GitInfo {
  return {
    repo_url: textOf(info.repo_url),
    ref: textOf(info.ref),
    sha: textOf(info.sha),
    ref_type: info.ref_type === 'tag' ? 'tag' : 'branch',
    refspecs: textsOf(info.refspecs),
    depth: numberOf(info.depth),
  }
}

function readVariable(variable: Fields): JobVariable {
  return {
    key: textOf(variable.key),
    // An environment variable can't contain this byte.
    value: textOf(variable.value).replaceAll('\0', ''),
    file: variable.file === true,
    masked: variable.masked === true,
    raw: variable.raw === true,
  }
}

function readArtifact(options: Fields): ArtifactOptions {
  const format = textOf(options.artifact_format)
  return {
    name: textOf(options.name),
    untracked: options.untracked === true,
    paths: textsOf(options.paths),
    exclude: textsOf(options.exclude),
    when: readWhen(options.when),
    type: textOf(options.artifact_type) || 'archive',
    format: format === 'gzip' || format === 'raw' ? format : 'zip',
    expire_in: textOf(options.expire_in),
  }
}

function readCache(options: Fields): CacheOptions {
  const policy = textOf(options.policy)
  return {
    key: textOf(options.key),
    fallback_keys: textsOf(options.fallback_keys),
    untracked: options.untracked === true,
    paths: textsOf(options.paths),
    policy: policy === 'pull' || policy === 'push' ? policy : 'pull-push',
    when: readWhen(options.when),
  }
}

function readDependency(dependency: Fields): Dependency {
  return {
    id: numberOf(dependency.id),
    name: textOf(dependency.name),
    token: textOf(dependency.token),
    filename: textOf(objectOf(dependency.artifacts_file).filename) || null,
  }
}

const readWhen = (value: unknown): StoreWhen => (value === 'always' || value === 'on_failure' ? value : 'on_success')
const textOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '')
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const objectOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(objectOf) : [])
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])
