/** Broadcast messages: announcements of administrators to everybody, for a while. */
import { type Static, Type } from 'typebox'
import type { BroadcastMessage } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Instant, none, nullable, resource } from '../../../http/parameters/schema.ts'
import { deleteMessage, listMessages } from './broadcast-messages.queries.ts'
import { changeMessage, createMessage, findMessage, isActive } from './broadcast-messages.service.ts'

const Message = resource('BroadcastMessage', {
  id: Type.Integer(),
  message: Type.String(),
  starts_at: Instant,
  ends_at: Instant,
  color: nullable(Type.String()),
  font: nullable(Type.String()),
  active: Type.Boolean({ description: 'Whether the message is shown now' }),
})

const message = nested({ message_id: Id }, async (_: SignedIn, { message_id }, app) => ({ message: await findMessage(app.db, message_id) }))
const text = Type.String({ description: 'Text of the message' })
const optional = {
  starts_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Now by default' })),
  ends_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'In an hour by default' })),
  color: Type.Optional(Type.String({ description: 'Background color; #E75E40 by default' })),
  font: Type.Optional(Type.String({ description: 'Text color; #FFFFFF by default' })),
}

export const broadcastMessages = [
  listEndpoint('GET /broadcast_messages', {
    summary: 'List broadcast messages, newest first',
    access: administrator(),
    item: Message,
    async handle({ app, page }) {
      const { rows, total } = await listMessages(app.db, page)
      return { rows: rows.map(presentMessage), total }
    },
  }),
  endpoint('GET /broadcast_messages/:message_id', {
    summary: 'Get a broadcast message',
    access: within(administrator(), message),
    reply: Message,
    handle: ({ message }) => presentMessage(message),
  }),
  endpoint('POST /broadcast_messages', {
    summary: 'Create a broadcast message',
    access: administrator(),
    body: { message: text, ...optional },
    reply: Message,
    handle: async ({ app, body }) => presentMessage(await createMessage(app.db, body)),
  }),
  endpoint('PUT /broadcast_messages/:message_id', {
    summary: 'Update a broadcast message',
    access: within(administrator(), message),
    body: { message: Type.Optional(text), ...optional },
    reply: Message,
    handle: async ({ app, message, body }) => presentMessage(await changeMessage(app.db, message.id, body)),
  }),
  endpoint('DELETE /broadcast_messages/:message_id', {
    summary: 'Delete a broadcast message',
    access: within(administrator(), message),
    reply: none,
    lastChanged: ({ message }) => message.updated_at ?? message.created_at,
    async handle({ app, message }) {
      await deleteMessage(app.db, message.id)
      return null
    },
  }),
]

function presentMessage(row: BroadcastMessage): Static<typeof Message> {
  const { id, message, starts_at, ends_at, color, font } = row
  return { id, message, starts_at, ends_at, color, font, active: isActive(row) }
}
