/** Slack and Mattermost: messages with attachments to an incoming webhook. */
import { channels, chatEvents, quieter, webhook } from './chat.ts'
import type { Field, Kind, Payload, Settings, Steps } from './kind.ts'
import { plainMarkup, slackMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { postJson, textOf } from './requests.ts'

const username: Field = { name: 'username', title: 'Username', type: 'text', placeholder: 'As which messages are sent' }
const colors = { good: 'good', bad: 'danger', neutral: '#345' }

export const slack: Kind = {
  slug: 'slack',
  title: 'Slack notifications',
  description: 'Send messages about events to channels of Slack',
  help: 'Add an incoming webhook to your workspace, and paste its URL.',
  group: 'chat',
  fields: [webhook('https://hooks.slack.com/services/…'), username, ...quieter, ...channels],
  events: chatEvents,
  act: send,
}

export const mattermost: Kind = {
  ...slack,
  slug: 'mattermost',
  title: 'Mattermost notifications',
  description: 'Send messages about events to channels of Mattermost',
  help: 'Add an incoming webhook to your team, and paste its URL.',
  fields: [webhook('https://mattermost.example.com/hooks/…'), username, ...quieter, ...channels],
}

function* send(payload: Payload, settings: Settings): Steps {
  const message = messageOf(payload, settings)
  if (!message) return
  const text = slackMarkup(message.headline)
  const channel = channelOf(payload, settings)
  const lines = message.lines.map(slackMarkup).join('\n')
  const attachment = { fallback: plainMarkup(message.headline), color: colors[message.mood], text: lines, mrkdwn_in: [] }
  yield postJson(textOf(settings, 'webhook'), {
    text,
    ...(textOf(settings, 'username') !== '' && { username: textOf(settings, 'username') }),
    ...(channel !== '' && { channel }),
    ...((lines !== '' || message.mood !== 'neutral') && { attachments: [attachment] }),
  })
}

/** Confidential events without a channel of their own use that of the public ones. */
function channelOf({ object_kind, event_type = object_kind }: Payload, settings: Settings): string {
  const own = textOf(settings, `${event_type}_channel`)
  return own || textOf(settings, `${event_type.replace(/^confidential_/, '')}_channel`) || textOf(settings, 'channel')
}
