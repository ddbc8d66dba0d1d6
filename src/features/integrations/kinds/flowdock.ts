/** Flowdock: an activity in the flow for each push. */
import type { Kind } from './kind.ts'
import { htmlMarkup, plainMarkup } from './markup.ts'
import { messageOf } from './message.ts'
import { postJson, refUrl, textOf } from './requests.ts'

export const flowdock: Kind = {
  slug: 'flowdock',
  title: 'Flowdock',
  description: 'Send each push to a flow of Flowdock',
  group: 'chat',
  fields: [{ name: 'token', title: 'Flow token', type: 'text', required: true, secret: true }],
  events: ['push_events'],
  *act(payload, settings) {
    const message = messageOf(payload, settings)
    if (!message) return
    yield postJson('https://api.flowdock.com/messages', {
      flow_token: textOf(settings, 'token'),
      event: 'activity',
      external_thread_id: `${payload.project.path_with_namespace}:${payload.ref}`,
      author: { name: payload.user_name ?? 'Somebody' },
      title: plainMarkup(message.headline),
      body: message.lines.map(htmlMarkup).join('<br>'),
      thread: { title: `${payload.project.path_with_namespace} ${payload.ref}`, external_url: refUrl(payload) },
    })
  },
}
