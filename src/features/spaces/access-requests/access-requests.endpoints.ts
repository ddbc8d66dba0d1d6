/** Requests for access to projects and groups: one family, declared once. */
import { Type } from 'typebox'
import { accessLevels } from '../../../access/levels.ts'
import type { Config } from '../../../config.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { columnsOf, managers, managing, onProjectOrGroup, onProjectsAndGroups } from '../../../http/declare/places.ts'
import { only, people, self } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Instant, none, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { Member } from '../members/members.schema.ts'
import { presentMember } from '../members/members.ts'
import { newcomers, requesterInPath } from './access-requests.access.ts'
import { listRequesters, type Requester } from './access-requests.queries.ts'
import { approveAccessRequest, removeAccessRequest, requestAccess } from './access-requests.service.ts'

const AccessRequester = resource('AccessRequester', { ...UserBrief.properties, requested_at: Instant })

export const accessRequests = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/access_requests`, {
    summary: `List the access requests of a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    item: AccessRequester,
    async handle({ app, place, page }) {
      const { rows, total } = await listRequesters(app.db, columnsOf(place), page)
      return { rows: rows.map((row) => present(app.config, row)), total }
    },
  }),
  endpoint(`POST /${kind}s/:id/access_requests`, {
    summary: `Request access to a ${kind}`,
    access: only(only(onProjectOrGroup(kind, 'signed-in'), people), newcomers),
    reply: AccessRequester,
    handle: async ({ app, place, user }) => present(app.config, await requestAccess(app, columnsOf(place), user)),
  }),
  endpoint(`PUT /${kind}s/:id/access_requests/:user_id/approve`, {
    summary: `Approve an access request to a ${kind}`,
    operationId: kind === 'project' ? 'approveProjectAccessRequest' : 'approveGroupAccessRequest',
    access: within(onProjectOrGroup(kind, managers), requesterInPath),
    body: { access_level: Type.Integer({ default: accessLevels.developer }) },
    reply: Member,
    status: 201,
    fails: ['conflict'],
    async handle({ app, place, requester, body }) {
      return presentMember(app.config, await approveAccessRequest(app, columnsOf(place), requester, body.access_level))
    },
  }),
  endpoint(`DELETE /${kind}s/:id/access_requests/:user_id`, {
    summary: `Deny or withdraw an access request to a ${kind}`,
    access: within(only(onProjectOrGroup(kind, 'signed-in'), managing, self('user_id')), requesterInPath),
    reply: none,
    lastChanged: ({ requester }) => requester.requested_at,
    async handle({ app, user, place, requester }) {
      await removeAccessRequest(app, columnsOf(place), requester.id, user)
      return null
    },
  }),
])

function present(config: Config, requester: Requester) {
  return { ...presentUserBrief(config, requester), requested_at: requester.requested_at }
}
