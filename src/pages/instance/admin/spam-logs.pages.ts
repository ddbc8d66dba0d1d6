/** Texts that the spam check has refused, with what an administrator can do about them. */

import { notFound } from '../../../failure.ts'
import { deleteSpamLog, type ListedSpamLog, listSpamLogs, spamLogById, submitAsHam } from '../../../features/instance/spam/spam.ts'
import { changeUserState } from '../../../features/people/users/users.ts'
import { deleteUser } from '../../../features/spaces/user-deletion/user-deletion.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'

const address = '/admin/spam_logs'
const perPage = 20
const shown_chars = 500
const kinds = translated({ issue: 'issue', snippet: 'snippet' })

const namedLog = nested({ log_id: Id }, async (_: unknown, { log_id }, app) => {
  const log = await spamLogById(app.db, log_id)
  if (!log) throw notFound('Spam log')
  return { log }
})

export const spamLogPages = [
  page('GET /admin/spam_logs', {
    access: administration(),
    query: pageNumber,
    show: ({ sent, ...visit }) => listView(visit, sent.page),
  }),
  action('POST /admin/spam_logs/:log_id/ham', {
    access: within(administration(), namedLog),
    async act({ app, log }) {
      await submitAsHam(app, log)
      return { redirect: address, notice: sentences.toldAsHam }
    },
  }),
  action('POST /admin/spam_logs/:log_id/remove', {
    access: within(administration(), namedLog),
    async act({ app, log }) {
      await deleteSpamLog(app.db, log.id)
      return { redirect: address, notice: sentences.spamLogRemoved }
    },
  }),
  action('POST /admin/spam_logs/:log_id/ban', {
    access: within(administration(), namedLog),
    async act({ app, log }) {
      await changeUserState(app, log.user_id, 'ban')
      return { redirect: address, notice: sentences.userBanned }
    },
  }),
  action('POST /admin/spam_logs/:log_id/remove_user', {
    access: within(administration(), namedLog),
    async act({ app, log }) {
      // With the account go all entries about it.
      await deleteUser(app, log.user_id, { hard_delete: true })
      return { redirect: address, notice: sentences.spammerRemoved }
    },
  }),
]

async function listView({ app, token }: AdminVisit, number: number): Promise<View> {
  const { rows, total } = await listSpamLogs(app.db, pageFrom({ page: number, per_page: perPage }))
  return adminView('spam_logs', {
    title: t`Spam`,
    main: html`
      <h1>Spam</h1>
      ${total === 0 ? emptyState(sentences.noSpam) : html`<ul class="rows">${rows.map((row) => rowOf(row, token))}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
    `,
  })
}

function rowOf(row: ListedSpamLog, token: Html): Html {
  const { id, kind, title, text, ip_address, user_agent, submitted_as_ham, created_at, username, name, state } = row
  const at = `${address}/${id}`
  const removal = html`
    <p>${sentences.spammerRemoval}</p>
    ${form({ action: `${at}/remove_user`, token, submit: t`Remove`, kind: 'danger' }, html``)}
  `
  return html`
    <li>
      <div class="what">
        <a href="/admin/users/${encodeURIComponent(username)}">${isolated(name)}</a> @${username} <span class="tag">${kinds[kind]}</span>
        <p>${isolated(title)}</p>
        <p>${isolated(text.length > shown_chars ? `${text.slice(0, shown_chars)}…` : text)}</p>
        <p>from ${ip_address}${user_agent !== '' && html`, ${isolated(user_agent)}`}, ${ago(created_at)}</p>
      </div>
      <div class="facts">
        ${submitted_as_ham ? html`<span>Submitted as ham</span>` : postButton(t`Submit as ham`, { action: `${at}/ham`, token })}
        ${postButton(t`Remove entry`, { action: `${at}/remove`, token })}
        ${state === 'active' && postButton(t`Ban`, { action: `${at}/ban`, token, kind: 'danger' })}
        ${dangerous(t`Remove ${username}`, removal)}
      </div>
    </li>
  `
}
