/** The sign-in providers connected to the user's account. */

import { type Connection, connectionsOf } from '../../../features/people/provider-sign-in/provider-sign-in.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { postButton } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { leavingForm } from '../provider-sign-in.pages.ts'
import { sentences } from './sentences.ts'
import type { OwnVisit } from './settings-view.ts'

/** Empty if there are no providers. */
export async function connectionsPart({ app, user, token }: Pick<OwnVisit, 'app' | 'user' | 'token'>): Promise<Html | null> {
  const connections = await connectionsOf(app, user)
  if (connections.length === 0) return null
  return html`
    <h2>Connected accounts</h2>
    <p>${sentences.connectionsAre}</p>
    <ul class="rows">${connections.map((connection) => rowOf(connection, token))}</ul>
  `
}

function rowOf({ provider, label, isConnected, mayDisconnect }: Connection, token: Html): Html {
  const connect = leavingForm(t`Connect`, { name: provider, token, return_to: '/profile/account' })
  const disconnect = postButton(t`Disconnect`, { action: '/profile/account/disconnect', token, kind: 'danger', fields: { provider } })
  return html`
    <li>
      <div class="what">
        <b>${isolated(label)}</b> ${isConnected && html`<span class="tag">connected</span>`}
        ${isConnected && !mayDisconnect && html`<p>${sentences.connectionStays}</p>`}
      </div>
      <div class="facts">${isConnected ? mayDisconnect && disconnect : connect}</div>
    </li>
  `
}
