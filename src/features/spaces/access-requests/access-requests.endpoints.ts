/** Asking to become a member: one family for projects and groups. */
import { Type } from 'typebox'
import { accessLevels, type Role } from '../../../access/levels.ts'
import type { Config } from '../../../config.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { type Access, type GroupGranted, group, type ProjectGranted, project } from '../../../http/rules.ts'
import { Id, Instant, none, resource } from '../../../http/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { Member } from '../members/members.schema.ts'
import { type Place, presentMember } from '../members/members.ts'
import { listRequesters, type Requester } from './access-requests.queries.ts'
import { approveRequest, assertOpen, getRequester, removeRequest, requestAccess } from './access-requests.service.ts'

const AccessRequester = resource('AccessRequester', { ...UserBrief.properties, requested_at: Instant })

/** What differs between the two kinds. */
interface Kind<G extends { level: number }> {
  path: '/projects/:id/access_requests' | '/groups/:id/access_requests'
  noun: 'project' | 'group'
  /** Who decides on requests. */
  manager: Role
  managers: Access<G & { user: User }>
  readers: Access<G & { user: User }>
  placeOf: (granted: G) => Place
  /** Whether users who see the place may ask. */
  isOpen: (granted: G & { user: User }) => boolean
}

function requestsOn<G extends { level: number }>({ path, noun, manager, managers, readers, placeOf, isOpen }: Kind<G>): Endpoint[] {
  return [
    listEndpoint(`GET ${path}`, {
      summary: `List who asks for access to a ${noun}`,
      access: managers,
      item: AccessRequester,
      async handle(context) {
        const { rows, total } = await listRequesters(context.app.db, placeOf(context), context.page)
        return { rows: rows.map((row) => present(context.app.config, row)), total }
      },
    }),
    endpoint(`POST ${path}`, {
      summary: `Ask for access to a ${noun}`,
      access: readers,
      reply: AccessRequester,
      async handle(context) {
        assertOpen(isOpen(context), context.level)
        return present(context.app.config, await requestAccess(context.app, placeOf(context), context.user))
      },
    }),
    endpoint(`PUT ${path}/:user_id/approve`, {
      summary: `Give a user the access to a ${noun} that he asks for`,
      access: managers,
      params: { user_id: Id },
      body: { access_level: Type.Integer({ default: accessLevels.developer }) },
      reply: Member,
      status: 201,
      fails: { conflict: 409 },
      async handle(context) {
        const { app, params, body } = context
        return presentMember(app.config, await approveRequest(app, placeOf(context), params.user_id, body.access_level))
      },
    }),
    endpoint(`DELETE ${path}/:user_id`, {
      summary: `Refuse a user access to a ${noun}, or withdraw one's own request`,
      access: readers,
      params: { user_id: Id },
      reply: none,
      async handle(context) {
        const { app, params, user, level, unmodifiedSince } = context
        if (level < accessLevels[manager] && params.user_id !== user.id) throw forbidden()
        requireUnmodified(unmodifiedSince, (await getRequester(app, placeOf(context), params.user_id)).requested_at)
        await removeRequest(app, placeOf(context), params.user_id)
        return null
      },
    }),
  ]
}

function present(config: Config, requester: Requester) {
  return { ...presentUserBrief(config, requester), requested_at: requester.requested_at }
}

export const accessRequests = [
  ...requestsOn<ProjectGranted>({
    path: '/projects/:id/access_requests',
    noun: 'project',
    manager: 'maintainer',
    managers: project('maintainer'),
    readers: project('signed-in'),
    placeOf: ({ project }) => ({ project_id: project.id }),
    isOpen: ({ project }) => project.request_access_enabled && !project.archived,
  }),
  ...requestsOn<GroupGranted>({
    path: '/groups/:id/access_requests',
    noun: 'group',
    manager: 'owner',
    managers: group('owner'),
    readers: group('signed-in'),
    placeOf: ({ group }) => ({ namespace_id: group.id }),
    // A private group is seen from outside by members of what is below it: they don't ask for more.
    isOpen: ({ group, user }) => group.request_access_enabled && (group.visibility === 'public' || isInternal(group.visibility, user)),
  }),
]

function isInternal(visibility: string, user: User): boolean {
  return visibility === 'internal' && !user.external
}
