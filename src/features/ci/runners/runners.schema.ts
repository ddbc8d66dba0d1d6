/** Runners in JSON. */
import { Type } from 'typebox'
import { Instant, nullable, resource } from '../../../http/parameters/schema.ts'
import { ProjectSimple } from '../../spaces/projects/projects.schema.ts'

const text = Type.String()
const maybe = nullable(text)

export const NewRunnerToken = resource('NewRunnerToken', {
  id: Type.Integer(),
  token: Type.String({ description: 'The token the runner authenticates with: it is shown this once' }),
  token_expires_at: nullable(Instant),
})

export const ResetToken = resource('ResetRunnerToken', { token: text, token_expires_at: nullable(Instant) })
export const RegistrationToken = resource('RegistrationToken', { token: text, token_expires_at: nullable(Instant) })

export const Runner = resource('Runner', {
  id: Type.Integer(),
  description: maybe,
  ip_address: maybe,
  active: Type.Boolean(),
  paused: Type.Boolean(),
  is_shared: Type.Boolean({ description: 'Whether it is for all projects' }),
  runner_type: text,
  name: maybe,
  online: nullable(Type.Boolean({ description: 'Whether it was in contact in the last two hours; null if it never was' })),
  created_by: nullable(Type.Object({ id: Type.Integer() })),
  created_at: Instant,
  status: text,
})

export const RunnerDetails = resource('RunnerDetails', {
  ...Runner.properties,
  tag_list: Type.Array(text),
  run_untagged: Type.Boolean(),
  locked: Type.Boolean(),
  maximum_timeout: nullable(Type.Integer()),
  access_level: text,
  version: maybe,
  revision: maybe,
  platform: maybe,
  architecture: maybe,
  contacted_at: nullable(Instant),
  maintenance_note: maybe,
  projects: Type.Array(ProjectSimple),
  groups: Type.Array(Type.Object({ id: Type.Integer(), web_url: text, name: text })),
})

export const RunnerManager = resource('RunnerManager', {
  id: Type.Integer(),
  system_id: text,
  version: maybe,
  revision: maybe,
  platform: maybe,
  architecture: maybe,
  created_at: Instant,
  contacted_at: nullable(Instant),
  ip_address: maybe,
  status: text,
})
