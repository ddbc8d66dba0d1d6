/** Fields and events that chats have in common. */
import type { EventFlag, Field } from './kind.ts'

/** All events that chats report. */
export const chatEvents: readonly EventFlag[] = [
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'tag_push_events',
  'pipeline_events',
  'wiki_page_events',
]

/** A URL that is enough to post messages. */
export function webhook(placeholder: string): Field {
  return { name: 'webhook', title: 'Webhook', type: 'text', required: true, secret: true, isUrl: true, placeholder }
}

export const quieter: Field[] = [
  { name: 'notify_only_broken_pipelines', title: 'Only broken pipelines', type: 'checkbox', default: true },
  { name: 'notify_only_default_branch', title: 'Only the default branch', type: 'checkbox', default: true },
]

const channelNames = {
  push: 'pushes',
  issue: 'issues',
  confidential_issue: 'confidential issues',
  merge_request: 'merge requests',
  note: 'comments',
  confidential_note: 'internal comments',
  tag_push: 'tags',
  pipeline: 'pipelines',
  wiki_page: 'wiki pages',
}

/** A channel for each event, besides the default one. */
export const channels: Field[] = [
  { name: 'channel', title: 'Channel', type: 'text', placeholder: 'That of the webhook' },
  ...Object.entries(channelNames).map(
    ([event, title]): Field => ({
      name: `${event}_channel`,
      title: `Channel for ${title}`,
      type: 'text',
      placeholder: 'The channel above',
    }),
  ),
]
