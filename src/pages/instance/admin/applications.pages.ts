/** Applications of the instance, and those that registered themselves. */

import { Type } from 'typebox'
import type { OAuthApplication } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import {
  applicationById,
  changeApplication,
  createApplication,
  listApplications,
  removeApplication,
  renewSecret,
} from '../../../features/people/oauth-applications/oauth-applications.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import {
  applicationFields,
  applicationForm,
  applicationRow,
  applicationView,
  newApplicationView,
  wantedIn,
} from '../../people/settings/application-form.ts'
import { sentences } from '../../people/settings/sentences.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'

const address = '/admin/applications'
const perPage = 50
const fields = { ...applicationFields, trusted: Type.Boolean({ default: false }) }

const ofInstance = nested({ application_id: Id }, async (_: unknown, { application_id }, app) => {
  const row = await applicationById(app.db, application_id, null)
  if (!row) throw notFound('Application')
  return { row }
})

export const applicationPages = [
  page('GET /admin/applications', {
    access: administration(),
    query: pageNumber,
    show: ({ sent, ...visit }) => listView(visit, untouched, sent.page),
  }),
  action('POST /admin/applications', {
    access: administration(),
    form: fields,
    async act({ sent: { confidential, trusted, proof, ...sent }, ...visit }) {
      const { app } = visit
      await assertProved(visit, proof)
      const { row, secret } = await createApplication(app.db, { ...wantedIn(sent), confidential, trusted, owner_id: null })
      return adminView('applications', newApplicationView({ row, secret, address }))
    },
    again: (visit, typed) => listView(visit, typed),
  }),
  page('GET /admin/applications/:application_id', {
    access: within(administration(), ofInstance),
    show: (visit) => oneView(visit, untouched),
  }),
  action('POST /admin/applications/:application_id', {
    access: within(administration(), ofInstance),
    form: fields,
    async act({ app, row, sent: { trusted, ...sent } }) {
      await changeApplication(app.db, row, { ...wantedIn(sent), trusted })
      return { redirect: address, notice: sentences.applicationSaved }
    },
    again: oneView,
  }),
  action('POST /admin/applications/:application_id/renew_secret', {
    access: within(administration(), ofInstance),
    form: { proof: Type.String({ default: '' }) },
    async act({ row, sent, ...visit }) {
      await assertProved(visit, sent.proof)
      return adminView('applications', newApplicationView({ row, secret: await renewSecret(visit.app.db, row), address }))
    },
  }),
  action('POST /admin/applications/:application_id/delete', {
    access: within(administration(), ofInstance),
    async act({ app, row }) {
      await removeApplication(app.db, row)
      return { redirect: address, notice: sentences.applicationDeleted }
    },
  }),
]

function trustedBox(typed: Typed, row: OAuthApplication | null) {
  return checkbox(t`Trusted`, 'trusted', typed, { value: row?.trusted ? 'true' : 'false', hint: sentences.trusted })
}

async function listView(visit: AdminVisit, typed: Typed, number = 1): Promise<View> {
  const { app, token } = visit
  const { rows, total } = await listApplications(app.db, null, pageFrom({ page: number, per_page: perPage }))
  return adminView('applications', {
    title: t`Applications`,
    main: html`<h1>Applications</h1><p>${sentences.instanceApplications}</p>
${total === 0 ? emptyState(sentences.noApplications) : html`<ul class="rows">${rows.map((row) => applicationRow(row, address))}</ul>`}
${pagesBelow(address, { page: number, per_page: perPage, total })}
<h2>Add an application</h2>${applicationForm(
      { action: address, token, row: null, more: html`${trustedBox(typed, null)}${proofField(visit, typed)}` },
      typed,
    )}`,
  })
}

function oneView({ row, ...visit }: AdminVisit & { row: OAuthApplication }, typed: Typed): View {
  const proof = proofField(visit, typed)
  return adminView('applications', applicationView({ row, token: visit.token, address, more: trustedBox(typed, row), proof }, typed))
}
