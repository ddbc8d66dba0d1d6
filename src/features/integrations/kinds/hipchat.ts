/** HipChat: notifications in a room, by version 2 of its API, or version 1. */
import { chatEvents } from './chat.ts'
import type { Kind } from './kind.ts'
import { htmlMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { isOn, postForm, postJson, textOf, urlAt } from './requests.ts'

const colors = ['yellow', 'red', 'green', 'purple', 'gray', 'random']

export const hipchat: Kind = {
  slug: 'hipchat',
  title: 'HipChat',
  description: 'Send messages about events to a room of HipChat',
  group: 'chat',
  fields: [
    { name: 'token', title: 'Room token', type: 'text', required: true, secret: true },
    { name: 'room', title: 'Room', type: 'text', placeholder: 'Name or ID' },
    { name: 'notify', title: 'Notify members of the room', type: 'checkbox' },
    { name: 'color', title: 'Color', type: 'select', choices: colors.map((color) => [color, color]) },
    { name: 'api_version', title: 'API version', type: 'text', placeholder: 'v2' },
    { name: 'server', title: 'Server', type: 'text', isUrl: true, placeholder: 'https://api.hipchat.com' },
    { name: 'notify_only_broken_pipelines', title: 'Only broken pipelines', type: 'checkbox', default: true },
  ],
  events: chatEvents.filter((event) => event !== 'wiki_page_events'),
  *act(payload, settings, { sender }) {
    const message = messageOf(payload, settings)
    if (!message) return
    const html = [message.headline, ...message.lines].map(htmlMarkup).join('<br>')
    const color = { good: 'green', bad: 'red', neutral: textOf(settings, 'color') || 'yellow' }[message.mood]
    const server = textOf(settings, 'server') || 'https://api.hipchat.com'
    const room = textOf(settings, 'room')
    const token = textOf(settings, 'token')
    const notify = isOn(settings, 'notify')
    yield textOf(settings, 'api_version') === 'v1'
      ? postForm(urlAt(server, 'v1/rooms/message', { auth_token: token }), {
          room_id: room,
          from: sender.slice(0, 15),
          message: html,
          message_format: 'html',
          color,
          notify: notify ? '1' : '0',
        })
      : postJson(
          urlAt(server, `v2/room/${encodeURIComponent(room)}/notification`),
          { from: sender, message: html, message_format: 'html', color, notify },
          { authorization: `Bearer ${token}` },
        )
  },
}
