/** The chat accounts that act as the user by slash commands: a list, and a page that connects one through the link sent by the chat. */

import { Type } from 'typebox'
import { forbidden } from '../../../failure.ts'
import { kindOf } from '../../../features/integrations/kinds/kinds.ts'
import {
  connectChatName,
  disconnectChatName,
  type ListedChatName,
  listChatNames,
  requestedConnection,
} from '../../../features/integrations/slash-commands/slash-commands.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { hidden, postButton } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { type OwnVisit, settingsView } from '../../people/settings/settings-view.ts'
import * as say from './sentences.ts'

const address = '/profile/chat_names'
const perPage = 50
const link = { token: Type.String({ default: '' }) }

export const chatNamePages = [
  page('GET /profile/chat_names', {
    access: signedIn(),
    query: pageNumber,
    show: ({ sent, ...visit }) => listView(visit, sent.page),
  }),
  page('GET /profile/chat_names/new', {
    access: signedIn(),
    query: link,
    show: ({ sent, ...visit }) => connectView(visit, sent.token),
  }),
  action('POST /profile/chat_names', {
    access: signedIn(),
    form: { link: link.token, decision: Type.String({ default: 'deny' }) },
    async act({ app, user, impersonator, sent }) {
      // An administrator could act as the user long after the impersonation.
      if (impersonator !== null) throw forbidden(say.notWhileActingAsAnother())
      const isAllowed = sent.decision === 'allow'
      if (isAllowed) await connectChatName(app, user, sent.link, new Date())
      return { redirect: address, notice: isAllowed ? say.connected() : say.notConnected() }
    },
  }),
  action('POST /profile/chat_names/:chat_name_id/delete', {
    access: signedIn(),
    async act({ app, user, params }) {
      await disconnectChatName(app.db, user, Number(params.chat_name_id) || 0)
      return { redirect: address, notice: say.disconnected() }
    },
  }),
]

async function listView({ app, user, token }: OwnVisit, number: number): Promise<View> {
  const { rows, total } = await listChatNames(app.db, user, pageFrom({ page: number, per_page: perPage }))
  return settingsView('chat', {
    title: t`Chats`,
    main: html`
      <h1>Chats</h1>
      <p>${say.purpose()}</p>
      ${total === 0 ? emptyState(say.none()) : html`<ul class="rows">${rows.map((row) => chatNameRow(row, token))}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
    `,
  })
}

function chatNameRow({ id, slug, chat_name, team_domain, project_path, created_at, last_used_at }: ListedChatName, token: Html): Html {
  const where = project_path === null ? say.hiddenProject() : html`<a href="/${project_path}">${isolated(project_path)}</a>`
  return html`
    <li>
      <div class="what">
        <b>${isolated(chat_name ?? '')}</b> of ${isolated(team_domain ?? '')}
        <p>${kindOf(slug)?.title ?? slug} of ${where}</p>
      </div>
      <div class="facts">
        <span>connected ${ago(created_at)}</span>
        <span>${last_used_at === null ? t`never used` : html`last used ${ago(last_used_at)}`}</span>
        ${postButton(t`Disconnect`, { action: `${address}/${id}/delete`, token })}
      </div>
    </li>
  `
}

async function connectView({ app, token }: OwnVisit, link: string): Promise<View> {
  const { chat, integration } = await requestedConnection(app, link, new Date())
  return settingsView('chat', {
    title: t`Connect a chat`,
    main: html`
      <div class="narrow">
        <h1>Connect ${isolated(chat.chat_name ?? '')} to your account?</h1>
        <p>
          Then commands that ${isolated(chat.chat_name ?? '')} types in the team ${isolated(chat.team_domain ?? '')} act as you
          (${kindOf(integration.slug)?.title ?? integration.slug}). ${say.onlyYourself()}
        </p>
        <form method="post" action="${address}">
          ${token}${hidden({ link })}
          <p class="actions">
            <button class="primary" name="decision" value="allow">Connect</button>
            <button name="decision" value="deny">Deny</button>
          </p>
        </form>
      </div>
    `,
  })
}
