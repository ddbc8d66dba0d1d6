/** What administrators tell everybody for a while. */
import { type Static, Type } from 'typebox'
import type { BroadcastMessage } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator } from '../../../http/rules.ts'
import { Id, Instant, none, nullable, resource } from '../../../http/schema.ts'
import { deleteMessage, listMessages } from './broadcast-messages.queries.ts'
import { changeMessage, createMessage, findMessage, isActive } from './broadcast-messages.service.ts'

const Message = resource('BroadcastMessage', {
  id: Type.Integer(),
  message: Type.String(),
  starts_at: Instant,
  ends_at: Instant,
  color: nullable(Type.String()),
  font: nullable(Type.String()),
  active: Type.Boolean({ description: 'Whether it is to be shown now' }),
})

const params = { message_id: Id }
const text = Type.String({ description: 'What everybody is told' })
const optional = {
  starts_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Now unless sent' })),
  ends_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'In an hour unless sent' })),
  color: Type.Optional(Type.String({ description: 'Of the background: #E75E40 unless sent' })),
  font: Type.Optional(Type.String({ description: 'Colour of the text: #FFFFFF unless sent' })),
}

export const broadcastMessages = [
  listEndpoint('GET /broadcast_messages', {
    summary: 'List all broadcast messages, the newest first',
    access: administrator(),
    item: Message,
    async handle({ app, page }) {
      const { rows, total } = await listMessages(app.db, page)
      return { rows: rows.map(presentMessage), total }
    },
  }),
  endpoint('GET /broadcast_messages/:message_id', {
    summary: 'Get a broadcast message',
    access: administrator(),
    params,
    reply: Message,
    handle: async ({ app, params }) => presentMessage(await findMessage(app.db, params.message_id)),
  }),
  endpoint('POST /broadcast_messages', {
    summary: 'Create a broadcast message',
    access: administrator(),
    body: { message: text, ...optional },
    reply: Message,
    handle: async ({ app, body }) => presentMessage(await createMessage(app.db, body)),
  }),
  endpoint('PUT /broadcast_messages/:message_id', {
    summary: 'Change a broadcast message',
    access: administrator(),
    params,
    body: { message: Type.Optional(text), ...optional },
    reply: Message,
    handle: async ({ app, params, body }) => presentMessage(await changeMessage(app.db, params.message_id, body)),
  }),
  endpoint('DELETE /broadcast_messages/:message_id', {
    summary: 'Delete a broadcast message',
    access: administrator(),
    params,
    reply: none,
    fails: { unmodified_since: 412 },
    async handle({ app, params, unmodifiedSince }) {
      const { id, updated_at, created_at } = await findMessage(app.db, params.message_id)
      requireUnmodified(unmodifiedSince, updated_at ?? created_at)
      await deleteMessage(app.db, id)
      return null
    },
  }),
]

function presentMessage(row: BroadcastMessage): Static<typeof Message> {
  const { id, message, starts_at, ends_at, color, font } = row
  return { id, message, starts_at, ends_at, color, font, active: isActive(row) }
}
