/** Abuse reports by users, with the actions that administrators can take. */

import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { closeReportsOf, type ListedReport, listReports, reportById } from '../../../features/people/abuse-reports/abuse-reports.ts'
import { changeUserState } from '../../../features/people/users/users.ts'
import { deleteUser } from '../../../features/spaces/user-deletion/user-deletion.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated, navigation } from '../../frame/parts.ts'
import { type AdminVisit, addressWith, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'

const address = '/admin/abuse_reports'
const perPage = 20

const namedReport = nested({ report_id: Id }, async (_: unknown, { report_id }, app) => {
  const report = await reportById(app.db, report_id)
  if (!report) throw notFound('Report')
  return { report }
})

export const abuseReportPages = [
  page('GET /admin/abuse_reports', {
    access: administration(),
    query: { ...pageNumber, state: Type.String({ default: 'open' }) },
    show: ({ sent, ...visit }) => listView(visit, sent.state === 'closed' ? 'closed' : 'open', sent.page),
  }),
  action('POST /admin/abuse_reports/:report_id/close', {
    access: within(administration(), namedReport),
    async act({ app, report }) {
      await closeReportsOf(app.db, report.user_id)
      return { redirect: address, notice: sentences.reportsClosed }
    },
  }),
  action('POST /admin/abuse_reports/:report_id/ban', {
    access: within(administration(), namedReport),
    async act({ app, report }) {
      await changeUserState(app, report.user_id, 'ban')
      await closeReportsOf(app.db, report.user_id)
      return { redirect: address, notice: sentences.userBanned }
    },
  }),
  action('POST /admin/abuse_reports/:report_id/remove', {
    access: within(administration(), namedReport),
    async act({ app, report }) {
      // With the account go all reports of it.
      await deleteUser(app, report.user_id, { hard_delete: true })
      return { redirect: address, notice: sentences.spammerRemoved }
    },
  }),
]

async function listView({ app, token }: AdminVisit, state: 'open' | 'closed', number: number): Promise<View> {
  const { rows, total } = await listReports(app.db, state === 'open', pageFrom({ page: number, per_page: perPage }))
  const links = (['open', 'closed'] as const).map((key) => ({
    label: key === 'open' ? t`Open` : t`Closed`,
    href: addressWith(address, { state: key === 'open' ? '' : key }),
    isCurrent: key === state,
  }))
  return adminView('abuse_reports', {
    title: t`Abuse reports`,
    main: html`
      <h1>Abuse reports</h1>
      ${navigation(t`Reports`, links, 'tabs second')}
      ${total === 0 ? emptyState(sentences.noReports) : html`<ul class="rows">${rows.map((row) => rowOf(row, token))}</ul>`}
      ${pagesBelow(addressWith(address, { state: state === 'open' ? '' : state }), { page: number, per_page: perPage, total })}
    `,
  })
}

function rowOf({ id, category, message, url, created_at, closed_at, reported, reporter }: ListedReport, token: Html): Html {
  const at = `${address}/${id}`
  const removal = html`
    <p>${sentences.spammerRemoval}</p>
    ${form({ action: `${at}/remove`, token, submit: t`Remove`, kind: 'danger' }, html``)}
  `
  return html`
    <li>
      <div class="what">
        <a href="/admin/users/${encodeURIComponent(reported.username)}">${isolated(reported.name)}</a> @${reported.username}
        <span class="tag">${category}</span>
        <p>${isolated(message)}</p>
        <p>
          ${url !== '' && html`<a href="${url}" rel="nofollow noopener">${isolated(url)}</a>, `}by
          <a href="/${reporter.username}">${isolated(reporter.name)}</a>, ${ago(created_at)}
        </p>
      </div>
      <div class="facts">
        <span>since ${ago(reported.created_at)}</span>
        ${closed_at === null && postButton(t`Close`, { action: `${at}/close`, token })}
        ${reported.state === 'active' && postButton(t`Ban`, { action: `${at}/ban`, token, kind: 'danger' })}
        ${dangerous(t`Remove ${reported.username}`, removal)}
      </div>
    </li>
  `
}
