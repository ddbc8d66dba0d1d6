/** A job as runners get it: every field with the name and type that agents of release 11.3 and current agents decode. */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'

const text = Type.String()
const maybe = nullable(text)
const texts = Type.Array(text)
const count = Type.Integer()

const JobVariable = resource('JobVariable', {
  key: text,
  value: text,
  public: Type.Boolean({ description: 'Whether it may be shown' }),
  masked: Type.Boolean({ description: 'Whether the runner hides its value in the trace' }),
  file: Type.Optional(Type.Boolean({ description: 'Whether the job gets the path of a file with the value in it' })),
  raw: Type.Optional(Type.Boolean({ description: 'Whether `$` in the value means itself' })),
})

const Options = Type.Object({
  docker: Type.Optional(Type.Object({ platform: Type.Optional(text), user: Type.Optional(text) })),
  kubernetes: Type.Optional(Type.Object({ user: Type.Optional(text) })),
})

const image = { name: text, entrypoint: nullable(texts), pull_policy: nullable(texts), executor_opts: Options }

const JobImage = resource('JobImage', image)
const JobService = resource('JobService', {
  ...image,
  alias: maybe,
  command: nullable(texts),
  variables: Type.Array(Type.Object({ key: text, value: text, public: Type.Boolean(), raw: Type.Optional(Type.Boolean()) })),
})

const Step = Type.Object({ name: text, script: texts, timeout: count, when: text, allow_failure: Type.Boolean() })

const Artifact = Type.Object({
  name: maybe,
  untracked: Type.Boolean(),
  paths: texts,
  exclude: texts,
  when: maybe,
  expire_in: maybe,
  artifact_type: text,
  artifact_format: text,
})

const Cache = Type.Object({
  key: text,
  untracked: Type.Boolean(),
  unprotect: Type.Boolean(),
  paths: texts,
  policy: text,
  when: text,
  fallback_keys: texts,
})

const Dependency = Type.Object({
  id: count,
  name: text,
  token: text,
  artifacts_file: Type.Optional(Type.Object({ filename: text, size: count })),
})

export const JobPayload = resource('JobRequest', {
  id: count,
  token: Type.String({ description: 'The token of the job: it ends with it' }),
  allow_git_fetch: Type.Boolean(),
  job_info: Type.Object({
    id: count,
    name: text,
    stage: text,
    pipeline_id: count,
    project_id: count,
    project_name: text,
    project_full_name: text,
    project_full_path: text,
    namespace_id: count,
    user_id: nullable(count),
  }),
  git_info: Type.Object({
    repo_url: text,
    repo_object_format: text,
    ref: text,
    sha: text,
    before_sha: text,
    ref_type: text,
    refspecs: texts,
    depth: count,
    protected: Type.Boolean(),
  }),
  runner_info: Type.Object({ timeout: count, runner_session_url: maybe }),
  variables: Type.Array(JobVariable),
  steps: Type.Array(Step),
  hooks: Type.Array(Type.Object({ name: text, script: texts })),
  image: nullable(JobImage),
  services: Type.Array(JobService),
  artifacts: nullable(Type.Array(Artifact)),
  cache: Type.Array(Cache),
  credentials: Type.Array(Type.Object({ type: text, url: text, username: text, password: text })),
  dependencies: Type.Array(Dependency),
  features: Type.Object({ trace_sections: Type.Boolean(), token_mask_prefixes: texts, failure_reasons: texts }),
})
