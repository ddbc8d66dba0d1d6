/** A custom chat or tool: the text of a message and its links, as plain JSON. */
import { chatEvents, quieter, webhook } from './chat.ts'
import type { Kind } from './kind.ts'
import { plainMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { postJson, textOf } from './requests.ts'

export const plainJson: Kind = {
  slug: 'plain-json',
  title: 'Messages as JSON',
  description: 'Send messages about events to a tool of your own, as plain JSON',
  help: 'The URL gets a POST with event, project, text, url, lines and status.',
  group: 'chat',
  fields: [webhook('https://chat.example.com/messages'), ...quieter],
  events: chatEvents,
  *act(payload, settings) {
    const message = messageOf(payload, settings)
    if (!message) return
    const { headline, title, lines, mood } = message
    yield postJson(textOf(settings, 'webhook'), {
      event: payload.event_type ?? payload.object_kind,
      project: payload.project.path_with_namespace,
      project_url: payload.project.web_url,
      text: plainMarkup(headline),
      url: title?.url ?? headline.find((part) => typeof part !== 'string')?.url ?? payload.project.web_url,
      lines: lines.map(plainMarkup),
      status: mood,
    })
  },
}
