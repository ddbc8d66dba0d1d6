/** The user's own applications, and those they have authorized. */

import { Type } from 'typebox'
import type { OAuthApplication } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { authorizedApplications, endGrantsOf } from '../../../features/people/oauth/oauth.ts'
import {
  applicationById,
  changeApplication,
  createOwnApplication,
  listApplications,
  mayCreateOwn,
  removeApplication,
  renewSecret,
} from '../../../features/people/oauth-applications/oauth-applications.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, form, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { applicationFields, applicationForm, applicationRow, applicationView, newApplicationView, wantedIn } from './application-form.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'

const address = '/profile/applications'
const perPage = 50

const ownApplication = nested({ application_id: Id }, async ({ user }: SignedIn, { application_id }, app) => {
  const row = await applicationById(app.db, application_id, user.id)
  if (!row) throw notFound('Application')
  return { row }
})

export const ownApplicationPages = [
  page('GET /profile/applications', {
    access: signedIn(),
    query: pageNumber,
    show: ({ sent, ...visit }) => listView(visit, untouched, sent.page),
  }),
  action('POST /profile/applications', {
    access: signedIn(),
    form: applicationFields,
    async act({ sent: { confidential, proof, ...sent }, ...visit }) {
      const { app, user } = visit
      await assertProved(visit, proof)
      const { row, secret } = await createOwnApplication(app.db, user, { ...wantedIn(sent), confidential })
      return settingsView('applications', newApplicationView({ row, secret, address }))
    },
    again: (visit, typed) => listView(visit, typed),
  }),
  page('GET /profile/applications/:application_id', {
    access: within(signedIn(), ownApplication),
    show: (visit) => oneView(visit, untouched),
  }),
  action('POST /profile/applications/:application_id', {
    access: within(signedIn(), ownApplication),
    form: applicationFields,
    async act({ app, row, sent }) {
      await changeApplication(app.db, row, wantedIn(sent))
      return { redirect: address, notice: sentences.applicationSaved }
    },
    again: oneView,
  }),
  action('POST /profile/applications/:application_id/renew_secret', {
    access: within(signedIn(), ownApplication),
    form: { proof: Type.String({ default: '' }) },
    async act({ row, sent, ...visit }) {
      await assertProved(visit, sent.proof)
      return settingsView('applications', newApplicationView({ row, secret: await renewSecret(visit.app.db, row), address }))
    },
  }),
  action('POST /profile/applications/:application_id/delete', {
    access: within(signedIn(), ownApplication),
    async act({ app, row }) {
      await removeApplication(app.db, row)
      return { redirect: address, notice: sentences.applicationDeleted }
    },
  }),
  action('POST /profile/applications/authorized/:application_id/revoke', {
    access: signedIn(),
    async act({ app, user, params }) {
      await endGrantsOf(app.db, user.id, Number(params.application_id) || 0)
      return { redirect: address, notice: sentences.authorizationRevoked }
    },
  }),
]

async function listView(visit: OwnVisit, typed: Typed, number = 1): Promise<View> {
  const { app, user, token } = visit
  const { rows, total } = await listApplications(app.db, user.id, pageFrom({ page: number, per_page: perPage }))
  const authorized = await authorizedApplications(app.db, user.id)
  return settingsView('applications', {
    title: t`Applications`,
    main: html`
      <h1>Applications</h1>
      <h2>Authorized applications</h2>
      <p>${sentences.authorizedAre}</p>
      ${
        authorized.length === 0
          ? emptyState(sentences.noAuthorized)
          : html`<ul class="rows">${authorized.map((one) => authorizedRow(one, token))}</ul>`
      }
      <h2>Your applications</h2>
      <p>${sentences.applicationsAre}</p>
      ${total === 0 ? emptyState(sentences.noApplications) : html`<ul class="rows">${rows.map((row) => applicationRow(row, address))}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
      <h2>Add an application</h2>
      ${
        (await mayCreateOwn(app.db))
          ? applicationForm({ action: address, token, row: null, more: proofField(visit, typed) }, typed)
          : html`<p>${sentences.noOwnApplications}</p>`
      }
    `,
  })
}

function authorizedRow(
  { id, name, registered, scopes, created_at }: Awaited<ReturnType<typeof authorizedApplications>>[number],
  token: Html,
): Html {
  const revocation = form({ action: `${address}/authorized/${id}/revoke`, token, submit: t`Revoke`, kind: 'danger' }, html``)
  return html`
    <li>
      <div class="what">
        <b>${isolated(name)}</b> ${registered && html`<span class="tag">registered itself</span>`}
        <p>${scopes.map((scope) => html`<span class="tag">${scope}</span> `)}</p>
      </div>
      <div class="facts">
        <span>authorized ${ago(created_at)}</span>
        ${dangerous(t`Revoke`, html`<p>${sentences.authorizationRevocation}</p>${revocation}`)}
      </div>
    </li>
  `
}

function oneView({ row, ...visit }: OwnVisit & { row: OAuthApplication }, typed: Typed): View {
  const proof = proofField(visit, typed)
  return settingsView('applications', applicationView({ row, token: visit.token, address, proof }, typed))
}
