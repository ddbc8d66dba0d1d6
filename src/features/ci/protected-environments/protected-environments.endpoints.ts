/** Protected environments of a project, in the shapes of the newer API. */
import { Type } from 'typebox'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { none } from '../../../http/parameters/schema.ts'
import { protectionManaged, protectionSeen, protectionsManaged, protectionsSeen } from './protected-environments.access.ts'
import { presentProtections } from './protected-environments.present.ts'
import { deleteProtection, listProtections, type Protection } from './protected-environments.queries.ts'
import { ProtectedEnvironment, sentApprovers, sentCount, sentDeployers } from './protected-environments.schema.ts'
import { changeProtection, protectEnvironment } from './protected-environments.service.ts'

export const protectedEnvironments = [
  listEndpoint('GET /projects/:id/protected_environments', {
    summary: 'List the protected environments of a project',
    access: protectionsSeen,
    item: ProtectedEnvironment,
    async handle({ app, user, project, page }) {
      const { rows, total } = await listProtections(app.db, project.id, page)
      return { rows: await presentProtections(app, user, rows), total }
    },
  }),
  endpoint('GET /projects/:id/protected_environments/:protected_environment', {
    summary: 'Get a protected environment',
    access: protectionSeen,
    reply: ProtectedEnvironment,
    handle: ({ app, user, protection }) => present(app, user, protection),
  }),
  endpoint('POST /projects/:id/protected_environments', {
    summary: 'Protect an environment',
    access: protectionsManaged,
    body: {
      name: Type.String({ description: 'Name of the environment, which need not be there yet' }),
      deploy_access_levels: sentDeployers,
      required_approval_count: Type.Optional(sentCount),
      approval_rules: Type.Optional(sentApprovers),
    },
    fails: ['conflict'],
    reply: ProtectedEnvironment,
    handle: async ({ app, user, project, body }) => present(app, user, await protectEnvironment(app, project.id, user, body)),
  }),
  endpoint('PUT /projects/:id/protected_environments/:protected_environment', {
    summary: 'Update a protected environment',
    access: protectionManaged,
    body: {
      deploy_access_levels: Type.Optional(sentDeployers),
      required_approval_count: Type.Optional(sentCount),
      approval_rules: Type.Optional(sentApprovers),
    },
    reply: ProtectedEnvironment,
    handle: async ({ app, user, protection, body }) => present(app, user, await changeProtection(app, user, protection, body)),
  }),
  endpoint('DELETE /projects/:id/protected_environments/:protected_environment', {
    summary: 'Unprotect an environment',
    access: protectionManaged,
    reply: none,
    lastChanged: ({ protection }) => protection.updated_at,
    async handle({ app, protection }) {
      await deleteProtection(app.db, protection.id)
      return null
    },
  }),
]

async function present(app: App, viewer: Viewer, row: Protection) {
  const [presented] = await presentProtections(app, viewer, [row])
  if (!presented) throw notFound()
  return presented
}
