/** Google Hangouts Chat: text to an incoming webhook. */
import { chatEvents, quieter, webhook } from './chat.ts'
import type { Kind } from './kind.ts'
import { hangoutsMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { postJson, textOf } from './requests.ts'

export const hangoutsChat: Kind = {
  slug: 'hangouts_chat',
  title: 'Hangouts Chat',
  description: 'Send messages about events to rooms of Google Hangouts Chat',
  help: 'Add a webhook to the room, and paste its URL.',
  group: 'chat',
  fields: [webhook('https://chat.googleapis.com/v1/spaces…'), ...quieter],
  events: chatEvents,
  *act(payload, settings) {
    const message = messageOf(payload, settings)
    if (!message) return
    yield postJson(textOf(settings, 'webhook'), { text: [message.headline, ...message.lines].map(hangoutsMarkup).join('\n') })
  },
}
