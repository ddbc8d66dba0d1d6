/** Members of projects and groups (spec 4.15), declared once for both. */
import { Type } from 'typebox'
import { everything, type Viewer } from '../../../access/visible.ts'
import type { User } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import {
  columnsOf,
  managers,
  manages,
  managing,
  onProjectOrGroup,
  onProjectsAndGroups,
  type Place,
  type PlaceGranted,
} from '../../../http/declare/places.ts'
import { only, self } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, none, nullable } from '../../../http/parameters/schema.ts'
import { listAllMembers, type Whole } from './inherited.queries.ts'
import { memberInPath, noBot, notItsOwner, userId } from './members.access.ts'
import { presentMember } from './members.present.ts'
import { listMembers } from './members.queries.ts'
import { Member } from './members.schema.ts'
import { addMember, changeMember, getAnyMember, removeMember } from './members.service.ts'

const userIds = Type.Optional(Type.Array(userId, { maxItems: 1_000 }))
const search = {
  query: Type.Optional(Type.String({ description: 'Part of a name or username' })),
  user_ids: userIds,
  skip_users: userIds,
}
const membership = {
  access_level: Type.Integer({ description: '10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner (groups only)' }),
  expires_at: Type.Optional(nullable(Day)),
}

const anyMember = nested({ user_id: userId }, async ({ place, user }: PlaceGranted, { user_id }, app) => ({
  member: await getAnyMember(app, viewerOf(place, user), wholeOf(place), user_id),
}))

export const members = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/members`, {
    summary: `List the members of a ${kind}`,
    access: onProjectOrGroup(kind, 'signed-in'),
    query: search,
    item: Member,
    async handle({ app, user, place, query, page }) {
      const { rows, total } = await listMembers(app.db, columnsOf(place), searchOf(query, user), page)
      return { rows: rows.map((row) => presentMember(app.config, row)), total }
    },
  }),
  listEndpoint(`GET /${kind}s/:id/members/all`, {
    summary: `List all members of a ${kind}, including those inherited through groups`,
    operationId: kind === 'project' ? 'listAllProjectMembers' : 'listAllGroupMembers',
    access: onProjectOrGroup(kind, 'signed-in'),
    query: search,
    item: Member,
    async handle({ app, user, place, query, page }) {
      const { rows, total } = await listAllMembers(app.db, viewerOf(place, user), wholeOf(place), searchOf(query, user), page)
      return { rows: rows.map((row) => presentMember(app.config, row)), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/members/all/:user_id`, {
    summary: `Get a member of a ${kind}, inherited through groups or not`,
    operationId: kind === 'project' ? 'getAnyProjectMember' : 'getAnyGroupMember',
    access: within(onProjectOrGroup(kind, 'signed-in'), anyMember),
    reply: Member,
    handle: ({ app, member }) => presentMember(app.config, member),
  }),
  endpoint(`GET /${kind}s/:id/members/:user_id`, {
    summary: `Get a member of a ${kind}`,
    access: within(onProjectOrGroup(kind, 'signed-in'), memberInPath),
    reply: Member,
    handle: ({ app, member }) => presentMember(app.config, member),
  }),
  endpoint(`POST /${kind}s/:id/members`, {
    summary: `Add a member to a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    body: { user_id: userId, ...membership },
    reply: Member,
    fails: ['conflict'],
    async handle({ app, place, body: { user_id, access_level, expires_at = null } }) {
      return presentMember(app.config, await addMember(app, columnsOf(place), { user_id, access_level, expires_at }))
    },
  }),
  endpoint(`PUT /${kind}s/:id/members/:user_id`, {
    summary: `Change the access level of a member of a ${kind}`,
    access: only(within(only(onProjectOrGroup(kind, managers), notItsOwner), memberInPath), noBot),
    body: membership,
    reply: Member,
    async handle({ app, place, member, body }) {
      return presentMember(app.config, await changeMember(app, columnsOf(place), member.user_id, body))
    },
  }),
  endpoint(`DELETE /${kind}s/:id/members/:user_id`, {
    summary: `Remove a member from a ${kind}`,
    access: only(within(only(only(onProjectOrGroup(kind, 'signed-in'), managing, self('user_id')), notItsOwner), memberInPath), noBot),
    reply: none,
    lastChanged: ({ member }) => member.changed_at,
    async handle({ app, place, member }) {
      await removeMember(app, columnsOf(place), member.user_id)
      return null
    },
  }),
])

function wholeOf({ kind, row }: Place): Whole {
  return kind === 'group' ? { namespace_id: row.id, project_id: null } : { namespace_id: row.namespace_id, project_id: row.id }
}

/** Callers who manage the members see all of them, whichever group they come from. */
function viewerOf(place: Place, user: User | null): Viewer {
  return manages(place) ? everything : user
}

function searchOf({ query, user_ids, skip_users }: { query?: string; user_ids?: number[]; skip_users?: number[] }, user: User) {
  return { words: query, actor: user, user_ids, skip_users }
}
