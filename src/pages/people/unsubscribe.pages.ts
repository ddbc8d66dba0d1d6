/** Unsubscribes through the link of a message, without signing in. The page asks first, as programs open links, too. */

import { subscriptionOf, unsubscribe } from '../../features/notifications/unsubscribing/unsubscribing.ts'
import { html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { anyone } from '../../http/declare/rules.ts'
import { action, page } from '../frame/declaration.ts'
import { postButton } from '../frame/forms.ts'

const nounOf = { issue: (iid: number) => t`issue #${iid}`, merge_request: (iid: number) => t`merge request !${iid}` }

export const unsubscribePages = [
  page('GET /sent_notifications/:key/unsubscribe', {
    access: anyone(),
    async show({ app, params: { key }, token }) {
      const { on, iid } = await subscriptionOf(app, key)
      return {
        title: t`Unsubscribe`,
        main: html`
          <h1>Unsubscribe</h1>
          <p>You will get no more mail about ${nounOf[on.kind](iid)}, unless somebody mentions you there.</p>
          ${postButton(t`Unsubscribe`, { action: `/sent_notifications/${key}/unsubscribe`, token, kind: 'primary' })}
        `,
      }
    },
  }),
  action('POST /sent_notifications/:key/unsubscribe', {
    access: anyone(),
    async act({ app, params: { key } }) {
      const subscribed = await subscriptionOf(app, key)
      await unsubscribe(app, subscribed)
      return {
        title: t`Unsubscribed`,
        main: html`
          <h1>Unsubscribed</h1>
          <p>
            You get no more mail about ${nounOf[subscribed.on.kind](subscribed.iid)}, unless somebody mentions you
            there.
          </p>
        `,
      }
    },
  }),
]
