/** Environments of a project, to which its jobs deploy. */
import { Type } from 'typebox'
import { environmentTiers } from '../../../ci/plan.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { none, nullable, oneOf } from '../../../http/parameters/schema.ts'
import { environmentChanged, environmentSeen, environmentStopped, environmentsCreated, environmentsSeen } from './environments.access.ts'
import { presentEnvironment, presentEnvironments } from './environments.present.ts'
import { deleteEnvironment, listEnvironments } from './environments.queries.ts'
import { Environment, environmentStates } from './environments.schema.ts'
import { changeEnvironment, createEnvironment, stopEnvironment } from './environments.service.ts'

const name = Type.String({ description: 'Unique in the project; what stands before the last `/` is a folder' })
const optional = {
  external_url: Type.Optional(nullable(Type.String({ description: 'Where it can be seen' }))),
  description: Type.Optional(nullable(Type.String())),
  tier: Type.Optional(oneOf(...environmentTiers)),
}

export const environments = [
  listEndpoint('GET /projects/:id/environments', {
    summary: 'List the environments of a project',
    access: environmentsSeen,
    jobTokens: true,
    query: { name: Type.Optional(Type.String()), search: Type.Optional(Type.String()), states: Type.Optional(oneOf(...environmentStates)) },
    item: Environment,
    async handle({ app, project, query, page }) {
      const { rows, total } = await listEnvironments(app.db, project.id, query, page)
      return { rows: await presentEnvironments(app, project, rows), total }
    },
  }),
  endpoint('GET /projects/:id/environments/:environment_id', {
    summary: 'Get an environment, with what was deployed last',
    access: environmentSeen,
    jobTokens: true,
    reply: Environment,
    handle: ({ app, project, environment }) => presentEnvironment(app, project, environment),
  }),
  endpoint('POST /projects/:id/environments', {
    summary: 'Create an environment',
    access: environmentsCreated,
    jobTokens: true,
    body: { ...optional, name },
    reply: Environment,
    handle: async ({ app, project, body }) => presentEnvironment(app, project, await createEnvironment(app, project.id, body)),
  }),
  endpoint('PUT /projects/:id/environments/:environment_id', {
    summary: 'Update an environment',
    access: environmentChanged,
    jobTokens: true,
    body: { ...optional, name: Type.Optional(name) },
    reply: Environment,
    handle: async ({ app, project, environment, body }) =>
      presentEnvironment(app, project, await changeEnvironment(app, environment, body)),
  }),
  endpoint('DELETE /projects/:id/environments/:environment_id', {
    summary: 'Delete an environment and its deployments',
    access: environmentChanged,
    jobTokens: true,
    reply: none,
    lastChanged: ({ environment }) => environment.updated_at,
    async handle({ app, environment }) {
      await deleteEnvironment(app.db, environment.id)
      return null
    },
  }),
  endpoint('POST /projects/:id/environments/:environment_id/stop', {
    summary: 'Stop an environment',
    access: environmentStopped,
    jobTokens: true,
    reply: Environment,
    status: 200,
    handle: async ({ app, project, environment, user }) =>
      presentEnvironment(app, project, await stopEnvironment(app, environment, user.id)),
  }),
]
