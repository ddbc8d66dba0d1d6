/** Discord: embeds to a webhook, which mention nobody. */
import { chatEvents, quieter, webhook } from './chat.ts'
import type { Kind } from './kind.ts'
import { markdownMarkup, plainMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { postJson, textOf } from './requests.ts'

const colors = { good: 0x2d_a1_60, bad: 0xdd_2b_0e, neutral: 0x34_50_70 }
/** The limits of Discord. */
const maxTitle = 256
const maxDescription = 4_096

export const discord: Kind = {
  slug: 'discord',
  title: 'Discord notifications',
  description: 'Send messages about events to channels of Discord',
  help: 'Add a webhook to the channel, and paste its URL.',
  group: 'chat',
  fields: [webhook('https://discord.com/api/webhooks/…'), ...quieter],
  events: chatEvents,
  *act(payload, settings) {
    const message = messageOf(payload, settings)
    if (!message) return
    const description = [message.headline, ...message.lines].map(markdownMarkup).join('\n').slice(0, maxDescription)
    const { title } = message
    const embed = {
      author: { name: payload.project.path_with_namespace, url: payload.project.web_url },
      ...(title && { title: plainMarkup([title]).slice(0, maxTitle), url: title.url }),
      description,
      color: colors[message.mood],
    }
    yield postJson(textOf(settings, 'webhook'), { embeds: [embed], allowed_mentions: { parse: [] } })
  },
}
