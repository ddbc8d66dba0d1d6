/** Protected environments of projects and groups, in the shapes of the newer API. */
import { Type } from 'typebox'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { onProjectsAndGroups } from '../../../http/declare/places.ts'
import { none } from '../../../http/parameters/schema.ts'
import { protectionManaged, protectionSeen, protectionsManaged, protectionsSeen } from './protected-environments.access.ts'
import { presentProtections } from './protected-environments.present.ts'
import { deleteProtection, listProtections, type Protection, protectionPlace } from './protected-environments.queries.ts'
import { ProtectedEnvironment, sentApprovers, sentCount, sentDeployers } from './protected-environments.schema.ts'
import { changeProtection, protectEnvironment } from './protected-environments.service.ts'

const names = {
  project: 'Name of the environment, which need not be there yet',
  group: 'Tier of environments, in all projects below the group',
}

export const protectedEnvironments = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/protected_environments`, {
    summary: `List the protected environments of a ${kind}`,
    access: protectionsSeen(kind),
    item: ProtectedEnvironment,
    async handle({ app, user, place, page }) {
      const { rows, total } = await listProtections(app.db, protectionPlace(place), page)
      return { rows: await presentProtections(app, user, rows), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/protected_environments/:protected_environment`, {
    summary: `Get a protected environment of a ${kind}`,
    access: protectionSeen(kind),
    reply: ProtectedEnvironment,
    handle: ({ app, user, protection }) => present(app, user, protection),
  }),
  endpoint(`POST /${kind}s/:id/protected_environments`, {
    summary: kind === 'project' ? 'Protect an environment' : 'Protect a tier of environments in all projects below a group',
    access: protectionsManaged(kind),
    body: {
      name: Type.String({ description: names[kind] }),
      deploy_access_levels: sentDeployers,
      required_approval_count: Type.Optional(sentCount),
      approval_rules: Type.Optional(sentApprovers),
    },
    fails: ['conflict'],
    reply: ProtectedEnvironment,
    handle: async ({ app, user, place, body }) => present(app, user, await protectEnvironment(app, protectionPlace(place), user, body)),
  }),
  endpoint(`PUT /${kind}s/:id/protected_environments/:protected_environment`, {
    summary: `Update a protected environment of a ${kind}`,
    access: protectionManaged(kind),
    body: {
      deploy_access_levels: Type.Optional(sentDeployers),
      required_approval_count: Type.Optional(sentCount),
      approval_rules: Type.Optional(sentApprovers),
    },
    reply: ProtectedEnvironment,
    handle: async ({ app, user, place, protection, body }) =>
      present(app, user, await changeProtection(app, protectionPlace(place), user, protection, body)),
  }),
  endpoint(`DELETE /${kind}s/:id/protected_environments/:protected_environment`, {
    summary: kind === 'project' ? 'Unprotect an environment' : 'Unprotect a tier of environments of a group',
    access: protectionManaged(kind),
    reply: none,
    lastChanged: ({ protection }) => protection.updated_at,
    async handle({ app, protection }) {
      await deleteProtection(app.db, protection.id)
      return null
    },
  }),
])

async function present(app: App, viewer: Viewer, row: Protection) {
  const [presented] = await presentProtections(app, viewer, [row])
  if (!presented) throw notFound()
  return presented
}
