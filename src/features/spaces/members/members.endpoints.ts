/** Members of projects and of groups (spec 4.15): one family, written once. */
import { Type } from 'typebox'
import { accessLevels } from '../../../access/levels.ts'
import { everything } from '../../../access/visible.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { type Access, type GroupGranted, group, type ProjectGranted, project } from '../../../http/rules.ts'
import { Day, none, nullable } from '../../../http/schema.ts'
import { listAllMembers, type Whole } from './inherited.queries.ts'
import { presentMember } from './members.present.ts'
import { listMembers, type Place } from './members.queries.ts'
import { Member } from './members.schema.ts'
import { addMember, changeMember, getMember, removeMember } from './members.service.ts'

const userId = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of a user; 0 is nobody’s' })
const byUser = { user_id: userId }
const search = { query: Type.Optional(Type.String({ description: 'Part of a name or user name' })) }
const membership = {
  access_level: Type.Integer({ description: '10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner (groups only)' }),
  expires_at: Type.Optional(nullable(Day)),
}

/** What differs between the two kinds. */
interface Kind<G extends { level: number }> {
  path: '/projects/:id/members' | '/groups/:id/members'
  noun: 'project' | 'group'
  readers: Access<G & { user: User }>
  managers: Access<G & { user: User }>
  /** The least level of those who may remove others. */
  manager_level: number
  placeOf: (granted: G) => Place
  /** Whose membership nobody changes: the owner of a personal project has it by owning. */
  ownerOf: (granted: G) => number | null
  wholeOf: (granted: G) => Whole
}

function membersOn<G extends { level: number }>(kind: Kind<G>): Endpoint[] {
  const { path, noun, readers, managers, manager_level, placeOf, ownerOf, wholeOf } = kind
  return [
    listEndpoint(`GET ${path}`, {
      summary: `List the members of a ${noun}`,
      access: readers,
      query: search,
      item: Member,
      async handle(context) {
        const { app, user, query, page } = context
        const { rows, total } = await listMembers(app.db, placeOf(context), { words: query.query, asker: user }, page)
        return { rows: rows.map((row) => presentMember(app.config, row)), total }
      },
    }),
    listEndpoint(`GET ${path}/all`, {
      summary: `List everybody who is a member of a ${noun}, through groups too`,
      access: readers,
      query: search,
      item: Member,
      async handle(context) {
        const { app, user, level, query, page } = context
        // Who manages the members has to know all of them, through whichever group they come.
        const viewer = level >= manager_level ? everything : user
        const { rows, total } = await listAllMembers(app.db, viewer, wholeOf(context), { words: query.query, asker: user }, page)
        return { rows: rows.map((row) => presentMember(app.config, row)), total }
      },
    }),
    endpoint(`GET ${path}/:user_id`, {
      summary: `Get a member of a ${noun}`,
      access: readers,
      params: byUser,
      reply: Member,
      handle: async (context) => presentMember(context.app.config, await getMember(context.app, placeOf(context), context.params.user_id)),
    }),
    endpoint(`POST ${path}`, {
      summary: `Add a member to a ${noun}`,
      access: managers,
      body: { user_id: userId, ...membership },
      reply: Member,
      fails: { conflict: 409 },
      async handle(context) {
        const { user_id, access_level, expires_at = null } = context.body
        return presentMember(context.app.config, await addMember(context.app, placeOf(context), { user_id, access_level, expires_at }))
      },
    }),
    endpoint(`PUT ${path}/:user_id`, {
      summary: `Change the level of a member of a ${noun}`,
      access: managers,
      params: byUser,
      body: membership,
      reply: Member,
      async handle(context) {
        const { app, params, body } = context
        if (params.user_id === ownerOf(context)) throw forbidden()
        return presentMember(app.config, await changeMember(app, placeOf(context), params.user_id, body))
      },
    }),
    endpoint(`DELETE ${path}/:user_id`, {
      summary: `Remove a member from a ${noun}, or leave it`,
      access: readers,
      params: byUser,
      reply: none,
      async handle(context) {
        const allowed = context.level >= manager_level || context.params.user_id === context.user.id
        if (!allowed || context.params.user_id === ownerOf(context)) throw forbidden()
        await removeMember(context.app, placeOf(context), context.params.user_id, context.unmodifiedSince)
        return null
      },
    }),
  ]
}

export const members = [
  ...membersOn<ProjectGranted>({
    path: '/projects/:id/members',
    noun: 'project',
    readers: project('signed-in'),
    managers: project('maintainer'),
    manager_level: accessLevels.maintainer,
    placeOf: ({ project }) => ({ project_id: project.id }),
    ownerOf: ({ project }) => project.namespace_owner_id,
    wholeOf: ({ project }) => ({ namespace_id: project.namespace_id, project_id: project.id }),
  }),
  ...membersOn<GroupGranted>({
    path: '/groups/:id/members',
    noun: 'group',
    readers: group('signed-in'),
    managers: group('owner'),
    manager_level: accessLevels.owner,
    placeOf: ({ group }) => ({ namespace_id: group.id }),
    ownerOf: () => null,
    wholeOf: ({ group }) => ({ namespace_id: group.id, project_id: null }),
  }),
]
