/** Pipelines (spec 2.10). */
import { Type } from 'typebox'
import { Id, Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

const text = Type.String()

/** The form used in lists. */
export const PipelineBasic = resource('PipelineBasic', {
  id: Type.Integer(),
  iid: Type.Integer({ description: 'Its number in the project' }),
  project_id: Type.Integer(),
  sha: text,
  ref: text,
  status: text,
  source: text,
  name: nullable(text),
  created_at: Instant,
  updated_at: Instant,
  web_url: text,
})

const DetailedStatus = resource('DetailedCiStatus', {
  icon: text,
  text,
  label: text,
  group: text,
  tooltip: text,
  has_details: Type.Boolean(),
  details_path: nullable(text),
})

export const Pipeline = resource('Pipeline', {
  ...PipelineBasic.properties,
  before_sha: Type.String({ description: 'Zeros where nothing was pushed, or the branch was new' }),
  tag: Type.Boolean(),
  yaml_errors: nullable(text),
  user: nullable(UserBrief),
  started_at: nullable(Instant),
  finished_at: nullable(Instant),
  committed_at: nullable(Instant),
  duration: nullable(Type.Integer({ description: 'Seconds in which jobs ran' })),
  queued_duration: nullable(Type.Integer({ description: 'Seconds until the first job ran' })),
  coverage: nullable(Type.String({ description: 'In percent' })),
  detailed_status: DetailedStatus,
})

export const PipelineVariable = resource('PipelineVariable', {
  key: text,
  value: text,
  variable_type: oneOf('env_var', 'file'),
  raw: Type.Boolean(),
})

export const givenVariables = Type.Optional(
  Type.Array(
    Type.Object({
      key: Type.String(),
      value: Type.String(),
      variable_type: Type.Optional(oneOf('env_var', 'file')),
    }),
    { description: 'Variables for all jobs of the pipeline' },
  ),
)

export const givenInputs = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Names and values of the inputs of the file (`spec:inputs`)' }),
)

export const statusWords = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const

const optional = (description: string) => Type.Optional(Type.String({ description }))

export const pipelineFilters = {
  scope: Type.Optional(oneOf('running', 'pending', 'finished', 'branches', 'tags')),
  status: Type.Optional(oneOf(...statusWords)),
  source: optional('In the words of `CI_PIPELINE_SOURCE`; child pipelines are listed with `parent_pipeline` alone'),
  ref: optional('Branch or tag'),
  sha: optional('Commit'),
  yaml_errors: Type.Optional(Type.Boolean({ description: 'Whether their files have errors' })),
  name: optional('Name of the user who started them'),
  username: optional('Username of the user who started them'),
  updated_after: Type.Optional(Instant),
  updated_before: Type.Optional(Instant),
  order_by: Type.Unsafe<'id' | 'status' | 'ref' | 'updated_at' | 'user_id'>({
    type: 'string',
    enum: ['id', 'status', 'ref', 'updated_at', 'user_id'],
    default: 'id',
  }),
  sort: Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
}

export const pipelineId = { pipeline_id: Id }
