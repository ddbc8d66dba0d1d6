/** The user's own sessions. */

import { Type } from 'typebox'
import { type ActiveSession, activeSessions, revokeSession } from '../../../features/people/sessions/sessions.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action, page } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { sentences } from './sentences.ts'
import { settingsView } from './settings-view.ts'

const address = '/profile/active_sessions'

export const sessionPages = [
  page('GET /profile/active_sessions', {
    access: signedIn(),
    async show({ app, user, token, session_digest }) {
      const sessions = await activeSessions(app.db, user.id, session_digest)
      return settingsView('sessions', {
        title: t`Sessions`,
        main: html`
          <h1>Sessions</h1>
          <p>${sentences.sessionsAre}</p>
          <ul class="rows">${sessions.map((session) => rowOf(session, token))}</ul>
        `,
      })
    },
  }),
  action('POST /profile/active_sessions/revoke', {
    access: signedIn(),
    form: { session: Type.String({ default: '' }) },
    async act({ app, user, sent: { session } }) {
      await revokeSession(app.db, user.id, session)
      return { redirect: address, notice: sentences.sessionRevoked }
    },
  }),
]

function rowOf({ key, isCurrent, browser, address: from, created_at, last_used_at }: ActiveSession, token: Html): Html {
  const current = html`<span class="tag">this one</span>`
  return html`
    <li>
      <div class="what">
        <b>${browser ?? t`Unknown browser`}</b> ${isCurrent && current}
        <p>${from === null ? t`Address not recorded` : html`From ${isolated(from)}`}</p>
      </div>
      <div class="facts">
        <span>signed in ${ago(created_at)}</span><span>used ${ago(last_used_at)}</span>
        ${!isCurrent && postButton(t`Revoke`, { action: `${address}/revoke`, token, kind: 'danger', fields: { session: key } })}
      </div>
    </li>
  `
}
