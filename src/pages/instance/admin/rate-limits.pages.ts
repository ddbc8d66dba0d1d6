/** Clients that are over a rate limit now, and the button that resets their count. */

import { Type } from 'typebox'
import { liftLimit, type RefusedClient, refusedClients } from '../../../features/instance/rate-limits/rate-limits.ts'
import { type UserInBrief, usersInBrief } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, number } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { limitWords, sentences } from './sentences.ts'
import { adminAddressOf } from './users.pages.ts'

const address = '/admin/rate_limits'

export const rateLimitPages = [
  page('GET /admin/rate_limits', { access: administration(), show: (visit) => limitsView(visit) }),
  action('POST /admin/rate_limits/lift', {
    access: administration(),
    form: { key: Type.String() },
    act: async ({ app, sent }) => ({
      redirect: address,
      notice: (await liftLimit(app, sent.key)) ? sentences.limitLifted : sentences.limitHadEnded,
    }),
  }),
]

/** As many statements however many are refused. */
async function limitsView({ app, token }: AdminVisit): Promise<View> {
  const clients = await refusedClients(app)
  const users = await usersInBrief(
    app.db,
    clients.flatMap(({ user_id }) => user_id ?? []),
  )
  return adminView('rate_limits', {
    title: t`Rate limits`,
    main: html`
      <h1>Rate limits</h1>
      <p>${sentences.rateLimitsAre} <a href="/admin/application_settings?group=limits">Settings of limits</a></p>
      ${
        clients.length === 0
          ? emptyState(sentences.nobodyIsRefused)
          : html`<ul class="rows">${clients.map((client) => rowOf(client, users.get(client.user_id ?? 0), token))}</ul>`
      }
    `,
  })
}

function rowOf(client: RefusedClient, user: UserInBrief | undefined, token: Html): Html {
  const { limit, count, max, until, key } = client
  return html`
    <li>
      <div class="what"><b>${whoOf(client, user)}</b><p>${limitWords[limit]}</p></div>
      <div class="facts">
        <span>${number(count)}, of at most ${number(max)}</span>
        <span>ends ${ago(until)}</span>
        ${key !== null && postButton(t`Lift`, { action: `${address}/lift`, token, fields: { key } })}
      </div>
    </li>
  `
}

function whoOf({ limit, network }: RefusedClient, user: UserInBrief | undefined): Html {
  if (user) return html`<a href="${adminAddressOf(user)}">${isolated(user.name)}</a> <span class="hint">@${user.username}</span>`
  if (network !== null) return html`${network}`
  if (limit === 'raw_blob') return html`${sentences.everybody}`
  return html`${limit === 'mails_to_address' ? sentences.someAddress : sentences.nobodysLogin}`
}
