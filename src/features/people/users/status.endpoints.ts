/** What users say they are at (spec 2.1, 4.7). */
import { type Static, Type } from 'typebox'
import { findUser } from '../../../access/users.ts'
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { anyone, signedIn } from '../../../http/rules.ts'
import { nullable, resource } from '../../../http/schema.ts'
import { statusOf, type UserStatus } from './status.queries.ts'
import { setStatus } from './status.service.ts'
import { areHiddenFrom } from './users.service.ts'

const Status = resource('UserStatus', {
  emoji: nullable(Type.String({ description: 'Its name, without colons; null while nothing is said' })),
  message: nullable(Type.String()),
  message_html: Type.String({ description: 'The message with emoji codes as emoji, safe to show' }),
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
    access: anyone(),
    scopes: ['read_user'],
    reply: Status,
    async handle({ app, user, params }) {
      const found = await findUser(app.db, params.id_or_username)
      if (!found || (await areHiddenFrom(app, user))) throw notFound('User')
      return presentStatus(await statusOf(app.db, found.id))
    },
  }),
  endpoint('PUT /user/status', {
    summary: 'Set the status of the current user, or clear it with neither an emoji nor a message',
    access: signedIn(),
    body: {
      emoji: Type.String({ default: '', description: 'Name of an emoji; speech_balloon unless sent' }),
      message: Type.String({ default: '', description: 'At most 100 characters; may contain emoji codes, such as :coffee:' }),
    },
    reply: Status,
    handle: async ({ app, user, body }) => presentStatus(await setStatus(app.db, user.id, body)),
  }),
]

async function presentStatus(status: UserStatus | null): Promise<Static<typeof Status>> {
  if (!status) return { emoji: null, message: null, message_html: '' }
  // Their list is large, and loaded where somebody has a status.
  const { renderEmoji } = await import('../../instance/emoji.ts')
  const { emoji, message } = status
  return { emoji, message, message_html: renderEmoji(message) }
}
