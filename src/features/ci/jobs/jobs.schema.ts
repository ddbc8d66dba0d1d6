/** Jobs and bridges (spec 2.11). */
import { Type } from 'typebox'
import { Instant, nullable, resource } from '../../../http/parameters/schema.ts'
import { UserAny } from '../../people/users/users.schema.ts'
import { Commit } from '../../repository/commits/commits.schema.ts'
import { PipelineBasic } from '../pipelines/pipelines.schema.ts'

const text = Type.String()

const RunnerOfJob = resource('RunnerOfJob', {
  id: Type.Integer(),
  description: nullable(text),
  ip_address: nullable(text),
  active: Type.Boolean(),
  paused: Type.Boolean(),
  is_shared: Type.Boolean(),
  runner_type: text,
  name: nullable(text),
  online: Type.Boolean(),
  status: text,
})

const ArtifactOfJob = resource('ArtifactOfJob', {
  file_type: text,
  size: Type.Integer(),
  filename: text,
  file_format: text,
})

/** Fields of jobs and bridges alike. */
const common = {
  id: Type.Integer(),
  status: text,
  stage: text,
  name: text,
  ref: text,
  tag: Type.Boolean(),
  coverage: nullable(Type.Number({ description: 'In percent' })),
  allow_failure: Type.Boolean(),
  created_at: Instant,
  started_at: nullable(Instant),
  finished_at: nullable(Instant),
  erased_at: nullable(Instant),
  duration: nullable(Type.Number({ description: 'Seconds' })),
  queued_duration: nullable(Type.Number({ description: 'Seconds' })),
  user: nullable(UserAny),
  commit: nullable(Commit),
  pipeline: PipelineBasic,
  web_url: text,
  project: Type.Object({ ci_job_token_scope_enabled: Type.Boolean() }),
  failure_reason: Type.Optional(text),
}

export const Job = resource('Job', {
  ...common,
  artifacts: Type.Array(ArtifactOfJob),
  artifacts_file: Type.Optional(Type.Object({ filename: text, size: Type.Integer() })),
  artifacts_expire_at: nullable(Instant),
  runner: nullable(RunnerOfJob),
  tag_list: Type.Array(text),
  archived: Type.Boolean(),
})

export const Bridge = resource('Bridge', { ...common, downstream_pipeline: nullable(PipelineBasic) })
