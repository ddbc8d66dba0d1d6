/** Applications of the instance, which act for users who let them (OAuth 2.0). For administrators. */
import { type Static, Type } from 'typebox'
import { applicationScopes } from '../../../access/levels.ts'
import type { OAuthApplication } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none, resource } from '../../../http/parameters/schema.ts'
import { applicationById, listApplications } from './oauth-applications.queries.ts'
import { createApplication, removeApplication } from './oauth-applications.service.ts'

const application = {
  id: Type.Integer(),
  application_id: Type.String({ description: 'The client_id of OAuth 2.0' }),
  application_name: Type.String(),
  callback_url: Type.String({ description: 'Redirect URIs, one a line' }),
  confidential: Type.Boolean(),
}
const Application = resource('Application', application)
const NewApplication = resource('NewApplication', {
  ...application,
  secret: Type.String({ description: 'The client_secret of OAuth 2.0, shown only once; empty for a public application' }),
})

const ofInstance = nested({ application_id: Id }, async (_: unknown, { application_id }, app) => {
  const found = await applicationById(app.db, application_id, null)
  if (!found) throw notFound('Application')
  return { application: found }
})

export const oauthApplications = [
  listEndpoint('GET /applications', {
    summary: 'List the OAuth applications of the instance',
    access: administrator(),
    item: Application,
    async handle({ app, page }) {
      const { rows, total } = await listApplications(app.db, null, page)
      return { rows: rows.map(presentApplication), total }
    },
  }),
  endpoint('POST /applications', {
    summary: 'Create an OAuth application of the instance',
    access: administrator(),
    body: {
      name: Type.String(),
      redirect_uri: Type.String({ description: 'Where users are sent back: one URI a line, compared letter by letter' }),
      scopes: Type.String({ description: `Separated by spaces, of ${applicationScopes.join(', ')}` }),
      confidential: Type.Boolean({ default: true, description: 'Whether it can keep a secret; false for programs on devices of users' }),
    },
    reply: NewApplication,
    async handle({ app, body }) {
      const { row, secret } = await createApplication(app.db, { ...body, owner_id: null })
      return { ...presentApplication(row), secret: secret ?? '' }
    },
  }),
  endpoint('DELETE /applications/:application_id', {
    summary: 'Delete an OAuth application of the instance, with its tokens',
    access: within(administrator(), ofInstance),
    reply: none,
    lastChanged: ({ application }) => application.created_at,
    async handle({ app, application }) {
      await removeApplication(app.db, application)
      return null
    },
  }),
]

function presentApplication({ id, uid, name, redirect_uris, confidential }: OAuthApplication): Static<typeof Application> {
  return { id, application_id: uid, application_name: name, callback_url: redirect_uris, confidential }
}
