/** One delivery of a webhook or to an integration: request and response. */

import type { Hook } from '../../../db/tables.ts'
import { type LoggedDelivery, presentDelivery } from '../../../features/integrations/deliveries/deliveries.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import type { Visit } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'

/** Limit of a payload on the page; the API returns all of it. */
const maxShown_chars = 100_000
const states = translated({ waiting: 'waiting', delivered: 'delivered', failed: 'failed' })

interface Shown {
  hook: Hook
  delivery: LoggedDelivery
  /** URL of the log, which is the prefix of that of the delivery. */
  address: string
  /** The page with the log. */
  back: { address: string; label: string }
}

export function deliveryView({ app, token }: Pick<Visit, 'app' | 'token'>, { hook, delivery, address, back }: Shown): InnerView {
  const event = presentDelivery(app, hook, delivery)
  const payload = event.request_data === null ? t`It is made when it is sent.` : JSON.stringify(event.request_data, null, 2)
  const answer = event.internal_error_message ?? (event.response_status === null ? t`None yet` : t`Status ${event.response_status}`)
  return {
    title: t`Delivery`,
    main: html`
      <h1>${event.trigger}</h1>
      <p><a href="${back.address}">${back.label}</a></p>
      <p>
        <span class="tag">${states[event.state]}</span> ${ago(event.created_at)}, ${count(event.attempts, 'attempt')}
      </p>
      ${event.state !== 'waiting' && postButton(t`Send again`, { action: `${address}/events/${event.id}/resend`, token, kind: 'primary' })}
      <section class="setting" aria-labelledby="answer">
        <h2 id="answer">Answer</h2>
        <p>${answer}</p>
        ${headersOf(event.response_headers)}${
          event.response_body !== null && event.response_body !== '' && html`<pre tabindex="0">${event.response_body}</pre>`
        }
      </section>
      <section class="setting" aria-labelledby="request">
        <h2 id="request">Request</h2>
        <p><code>POST ${event.url}</code></p>
        ${headersOf(event.request_headers)} <pre tabindex="0">${payload.slice(0, maxShown_chars)}</pre>
      </section>
    `,
  }
}

function headersOf(headers: Record<string, string | undefined>): Html | null {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return lines.length === 0 ? null : html`<pre tabindex="0">${lines.join('\n')}</pre>`
}
