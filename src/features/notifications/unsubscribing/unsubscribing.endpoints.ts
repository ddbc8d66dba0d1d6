/** One-click unsubscribe of mail programs (RFC 8058), which send a form without a session. */
import { endpoint } from '../../../http/declare/endpoint.ts'
import { machines } from '../../../http/declare/machines.ts'
import { none } from '../../../http/parameters/schema.ts'
import { subscriptionOf, unsubscribe } from './unsubscribing.service.ts'

export const unsubscribing = [
  endpoint('POST /sent_notifications/:key/one_click', {
    summary: 'Unsubscribe from what a mail is about',
    operationId: 'unsubscribeByMail',
    access: machines('whoever has the mail'),
    outsideApi: true,
    reply: none,
    async handle({ app, params: { key } }) {
      await unsubscribe(app, await subscriptionOf(app, key))
      return null
    },
  }),
]
