/** Statuses that users set for themselves (spec 2.1, 4.7). */
import { type Static, Type } from 'typebox'
import { findUser } from '../../../access/users.ts'
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { anyone, type Granted, only, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath, nullable, resource } from '../../../http/parameters/schema.ts'
import { statusOf, type UserStatus } from './status.queries.ts'
import { setStatus } from './status.service.ts'
import { seesUsers } from './users.access.ts'

const Status = resource('UserStatus', {
  emoji: nullable(Type.String({ description: 'Name, without colons; null without a status' })),
  message: nullable(Type.String()),
  message_html: Type.String({ description: 'The message with emoji codes replaced, as safe HTML' }),
})

const namedUser = nested({ id_or_username: nameInPath('Id or username') }, async (_: Granted, params, app) => {
  const owner = await findUser(app.db, params.id_or_username)
  if (!owner) throw notFound('User')
  return { owner }
})

export const userStatus = [
  endpoint('GET /user/status', {
    summary: 'Get the status of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    reply: Status,
    handle: async ({ app, user }) => presentStatus(await statusOf(app.db, user.id)),
  }),
  endpoint('GET /users/:id_or_username/status', {
    summary: 'Get the status of a user',
    access: within(
      only(
        anyone(),
        seesUsers(() => notFound('User')),
      ),
      namedUser,
    ),
    scopes: ['read_user'],
    reply: Status,
    handle: async ({ app, owner }) => presentStatus(await statusOf(app.db, owner.id)),
  }),
  endpoint('PUT /user/status', {
    summary: 'Set the status of the current user; without emoji and message, clear it',
    access: signedIn(),
    body: {
      emoji: Type.String({ default: '', description: 'Name of an emoji; speech_balloon by default' }),
      message: Type.String({ default: '', description: 'Up to 100 characters; may contain emoji codes, such as :coffee:' }),
    },
    reply: Status,
    handle: async ({ app, user, body }) => presentStatus(await setStatus(app.db, user.id, body)),
  }),
  endpoint('PATCH /user/status', {
    summary: 'Change the status of the current user: what is not sent stays',
    operationId: 'changeCurrentUserStatus',
    access: signedIn(),
    body: {
      emoji: Type.Optional(Type.String({ description: 'Name of an emoji' })),
      message: Type.Optional(Type.String({ description: 'Up to 100 characters; may contain emoji codes, such as :coffee:' })),
    },
    reply: Status,
    async handle({ app, user, body: { emoji, message } }) {
      const before = await statusOf(app.db, user.id)
      const status = { emoji: emoji ?? before?.emoji ?? '', message: message ?? before?.message ?? '' }
      return presentStatus(await setStatus(app.db, user.id, status))
    },
  }),
]

async function presentStatus(status: UserStatus | null): Promise<Static<typeof Status>> {
  if (!status) return { emoji: null, message: null, message_html: '' }
  // The list of emoji is large, so it is loaded when it is first needed.
  const { renderEmoji } = await import('../../instance/emoji.ts')
  const { emoji, message } = status
  return { emoji, message, message_html: renderEmoji(message) }
}
