/** Matrix: messages to a room, by the client-server API. */
import { chatEvents, quieter } from './chat.ts'
import type { Kind } from './kind.ts'
import { htmlMarkup, urlMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { textOf, urlAt } from './requests.ts'

export const matrix: Kind = {
  slug: 'matrix',
  title: 'Matrix notifications',
  description: 'Send messages about events to a Matrix room',
  help: 'Invite the user of the access token to the room.',
  group: 'chat',
  fields: [
    { name: 'hostname', title: 'Homeserver', type: 'text', isUrl: true, default: 'https://matrix.org', placeholder: 'https://matrix.org' },
    { name: 'token', title: 'Access token', type: 'text', required: true, secret: true },
    { name: 'room', title: 'Room ID', type: 'text', required: true, placeholder: '!qPKKM111FFKKsfoCVy:matrix.org' },
    ...quieter,
  ],
  events: chatEvents,
  *act(payload, settings, { uuid }) {
    const message = messageOf(payload, settings)
    if (!message) return
    const lines = [message.headline, ...message.lines]
    const room = encodeURIComponent(textOf(settings, 'room'))
    yield {
      // The server recognizes the transaction of a repeated attempt.
      method: 'PUT',
      url: urlAt(textOf(settings, 'hostname') || 'https://matrix.org', `_matrix/client/v3/rooms/${room}/send/m.room.message/${uuid}`),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${textOf(settings, 'token')}` },
      body: JSON.stringify({
        msgtype: 'm.text',
        body: lines.map(urlMarkup).join('\n'),
        format: 'org.matrix.custom.html',
        formatted_body: lines.map(htmlMarkup).join('<br>'),
      }),
    }
  },
}
