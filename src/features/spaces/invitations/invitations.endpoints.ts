/** Invitations by mail to projects and groups: one family, declared once. */
import { Type } from 'typebox'
import { badParameter } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { columnsOf, managers, onProjectOrGroup, onProjectsAndGroups, type PlaceGranted } from '../../../http/declare/places.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, Instant, nameInPath, none, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { listInvitations, type SentInvitation } from './invitations.queries.ts'
import { changeInvitation, enrolByIds, getInvitation, invite, removeInvitation } from './invitations.service.ts'

const Invitation = resource('Invitation', {
  id: Type.Integer(),
  invite_email: Type.String(),
  access_level: Type.Integer(),
  created_at: Instant,
  expires_at: nullable(Day),
  user_name: Type.Null({ description: 'Whoever accepts has a name of their own' }),
  created_by_name: nullable(Type.String()),
})

const InvitationOutcome = resource('InvitationOutcome', {
  status: oneOf('success', 'error'),
  message: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'By address or id, why it was refused' })),
})

const invitation = nested(
  { invited_email: nameInPath('The address that was invited') },
  async ({ place }: PlaceGranted, { invited_email }, app) => ({ invitation: await getInvitation(app, columnsOf(place), invited_email) }),
)

const maxAtOnce = 100
const level = Type.Integer({ description: '10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner (groups only)' })
const until = Type.Optional(nullable(Day))

export const invitations = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/invitations`, {
    summary: `List the open invitations to a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    query: { query: Type.Optional(Type.String({ description: 'Part of an address' })) },
    item: Invitation,
    async handle({ app, place, query: { query }, page }) {
      const { rows, total } = await listInvitations(app.db, columnsOf(place), query, page)
      return { rows: rows.map(present), total }
    },
  }),
  endpoint(`POST /${kind}s/:id/invitations`, {
    summary: `Invite people to a ${kind} by mail`,
    access: onProjectOrGroup(kind, managers),
    body: {
      email: Type.Optional(Type.Array(Type.String(), { description: 'Addresses, also with commas between them' })),
      user_id: Type.Optional(Type.Array(Type.String(), { description: 'Ids of users, also with commas between them' })),
      access_level: level,
      expires_at: until,
    },
    reply: InvitationOutcome,
    async handle({ app, place, user, body: { email = [], user_id = [], access_level, expires_at = null } }) {
      const emails = partsOf(email)
      const ids = partsOf(user_id)
      if (emails.length + ids.length === 0) throw badParameter('email, user_id are missing, at least one parameter must be provided')
      if (emails.length + ids.length > maxAtOnce) throw badParameter(`email, user_id have more than ${maxAtOnce} values`)
      if (!ids.every((id) => /^[1-9]\d{0,14}$/.test(id))) throw badParameter('user_id is invalid')
      const terms = { access_level, expires_at }
      const columns = columnsOf(place)
      const message = { ...(await invite(app, columns, user, terms, emails)), ...(await enrolByIds(app, columns, terms, ids.map(Number))) }
      const isRefused = Object.keys(message).length > 0
      return { status: isRefused ? ('error' as const) : ('success' as const), message: isRefused ? message : undefined }
    },
  }),
  endpoint(`PUT /${kind}s/:id/invitations/:invited_email`, {
    summary: `Change an invitation to a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), invitation),
    body: { access_level: Type.Optional(level), expires_at: until },
    reply: Invitation,
    handle: async ({ app, invitation, body }) => present(await changeInvitation(app, invitation, body)),
  }),
  endpoint(`DELETE /${kind}s/:id/invitations/:invited_email`, {
    summary: `Withdraw an invitation to a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), invitation),
    reply: none,
    lastChanged: ({ invitation }) => invitation.created_at,
    async handle({ app, invitation }) {
      await removeInvitation(app, invitation)
      return null
    },
  }),
])

function partsOf(sent: readonly string[]): string[] {
  const parts = sent.flatMap((text) => text.split(',')).map((part) => part.trim())
  return [...new Set(parts.filter((part) => part !== ''))]
}

function present({ id, email, access_level, created_at, expires_at, created_by_name }: SentInvitation) {
  return { id, invite_email: email, access_level, created_at, expires_at, user_name: null, created_by_name }
}
