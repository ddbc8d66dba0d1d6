/** Environments and deployments in JSON. */
import { Type } from 'typebox'
import { environmentTiers } from '../../../ci/plan.ts'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { ProjectSimple } from '../../spaces/projects/projects.schema.ts'
import { approvalState } from '../protected-environments/protected-environments.schema.ts'

export const environmentStates = ['available', 'stopping', 'stopped'] as const
export const deploymentStatuses = ['created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked'] as const

export const EnvironmentBasic = resource('EnvironmentBasic', {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String({ description: 'The name as it may stand in host names' }),
  external_url: nullable(Type.String()),
})

/** The job that deployed, abbreviated. */
const Deployable = resource('Deployable', {
  id: Type.Integer(),
  status: Type.String(),
  stage: Type.String(),
  name: Type.String(),
  ref: Type.String(),
  tag: Type.Boolean(),
  coverage: nullable(Type.Number()),
  created_at: Instant,
  started_at: nullable(Instant),
  finished_at: nullable(Instant),
  web_url: Type.String(),
  pipeline: Type.Object({ id: Type.Integer(), sha: Type.String(), ref: Type.String(), status: Type.String(), web_url: Type.String() }),
})

export const Deployment = resource('Deployment', {
  id: Type.Integer(),
  iid: Type.Integer({ description: 'Its number in the project' }),
  ref: Type.String(),
  sha: Type.String(),
  created_at: Instant,
  updated_at: Instant,
  status: oneOf(...deploymentStatuses),
  user: nullable(UserBrief),
  environment: EnvironmentBasic,
  deployable: nullable(Deployable),
  ...approvalState,
})

export const Environment = resource('Environment', {
  ...EnvironmentBasic.properties,
  description: nullable(Type.String()),
  state: oneOf(...environmentStates),
  tier: oneOf(...environmentTiers),
  auto_stop_at: nullable(Instant),
  created_at: Instant,
  updated_at: Instant,
  project: ProjectSimple,
  last_deployment: Type.Optional(nullable(Deployment)),
})
