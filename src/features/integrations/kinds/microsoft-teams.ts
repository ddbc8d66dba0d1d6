/** Microsoft Teams: message cards to an incoming webhook. */
import { chatEvents, quieter, webhook } from './chat.ts'
import type { Kind } from './kind.ts'
import { markdownMarkup, plainMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { postJson, textOf } from './requests.ts'

const colors = { good: '2DA160', bad: 'DD2B0E', neutral: '345070' }

export const microsoftTeams: Kind = {
  slug: 'microsoft-teams',
  title: 'Microsoft Teams notifications',
  description: 'Send messages about events to channels of Microsoft Teams',
  help: 'Add an incoming webhook to the channel, and paste its URL.',
  group: 'chat',
  fields: [webhook('https://example.webhook.office.com/webhookb2/…'), ...quieter],
  events: chatEvents,
  *act(payload, settings) {
    const message = messageOf(payload, settings)
    if (!message) return
    const details = message.lines.map(markdownMarkup).join('\n\n')
    yield postJson(textOf(settings, 'webhook'), {
      '@type': 'MessageCard',
      '@context': 'https://schema.org/extensions',
      summary: plainMarkup(message.headline),
      title: payload.project.path_with_namespace,
      themeColor: colors[message.mood],
      sections: [{ activityTitle: markdownMarkup(message.headline) }, ...(details === '' ? [] : [{ title: 'Details', text: details }])],
    })
  },
}
