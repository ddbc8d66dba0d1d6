/** The payloads of jobs, pipelines and deployments. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf } from '../../../http/parameters/schema.ts'
import { CommitPart, FullRepositoryPart, maybeInstant, maybeNumber, maybeText, ProjectPart, shape, UserPart } from './parts.schema.ts'

const text = Type.String()
const number = Type.Integer()
const seconds = nullable(Type.Number())

const Status = oneOf(
  'created',
  'waiting_for_resource',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
)

const Runner = nullable(
  shape({
    id: number,
    description: maybeText,
    active: Type.Boolean(),
    runner_type: text,
    is_shared: Type.Boolean(),
    tags: Type.Array(text),
  }),
)

export const JobPayload = shape({
  object_kind: oneOf('build'),
  ref: text,
  tag: Type.Boolean(),
  before_sha: maybeText,
  sha: text,
  retries_count: number,
  build_id: number,
  build_name: text,
  build_stage: text,
  build_status: Status,
  build_created_at: Instant,
  build_started_at: maybeInstant,
  build_finished_at: maybeInstant,
  build_duration: seconds,
  build_queued_duration: seconds,
  build_allow_failure: Type.Boolean(),
  build_failure_reason: text,
  pipeline_id: number,
  project_id: number,
  project_name: text,
  user: UserPart,
  commit: shape({
    id: number,
    name: maybeText,
    sha: text,
    message: maybeText,
    author_name: maybeText,
    author_email: maybeText,
    author_url: maybeText,
    status: Status,
    duration: seconds,
    started_at: maybeInstant,
    finished_at: maybeInstant,
  }),
  repository: FullRepositoryPart,
  project: ProjectPart,
  runner: Runner,
  environment: nullable(shape({ name: text, deployment_tier: text })),
})

const Build = shape({
  id: number,
  stage: text,
  name: text,
  status: Status,
  created_at: Instant,
  started_at: maybeInstant,
  finished_at: maybeInstant,
  duration: seconds,
  queued_duration: seconds,
  failure_reason: maybeText,
  when: text,
  manual: Type.Boolean(),
  allow_failure: Type.Boolean(),
  user: nullable(UserPart),
  runner: Runner,
  artifacts_file: shape({ filename: maybeText, size: maybeNumber }),
})

export const PipelinePayload = shape({
  object_kind: oneOf('pipeline'),
  object_attributes: shape({
    id: number,
    iid: number,
    name: maybeText,
    ref: text,
    tag: Type.Boolean(),
    sha: text,
    before_sha: maybeText,
    source: text,
    status: Status,
    detailed_status: text,
    stages: Type.Array(text),
    created_at: Instant,
    finished_at: maybeInstant,
    duration: seconds,
    queued_duration: seconds,
    variables: Type.Array(Type.Unknown()),
    url: text,
  }),
  merge_request: nullable(
    shape({
      id: number,
      iid: number,
      title: text,
      source_branch: text,
      source_project_id: maybeNumber,
      target_branch: text,
      target_project_id: number,
      state: oneOf('opened', 'closed', 'locked', 'merged'),
      merge_status: oneOf('unchecked', 'can_be_merged', 'cannot_be_merged'),
      url: text,
    }),
  ),
  user: UserPart,
  project: ProjectPart,
  commit: nullable(CommitPart),
  builds: Type.Array(Build),
})

export const DeploymentPayload = shape({
  object_kind: oneOf('deployment'),
  status: oneOf('created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked'),
  status_changed_at: Instant,
  deployment_id: number,
  deployable_id: maybeNumber,
  deployable_url: maybeText,
  environment: text,
  environment_tier: text,
  environment_slug: text,
  environment_external_url: maybeText,
  project: ProjectPart,
  ref: text,
  short_sha: text,
  user: UserPart,
  user_url: text,
  commit_url: text,
  commit_title: maybeText,
  approval: Type.Optional(shape({ status: oneOf('approved', 'rejected'), comment: maybeText })),
})
