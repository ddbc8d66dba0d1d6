/** The terms of service over the API, for users without a browser: not in 11.3, which has only a page. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { nullable, resource } from '../../../http/parameters/schema.ts'
import { acceptTerms, termsFor } from './terms.service.ts'

const Terms = resource('Terms', {
  terms: nullable(Type.String({ description: 'Markdown' })),
  enforced: Type.Boolean({ description: 'Whether users have to accept them' }),
  accepted: Type.Boolean({ description: 'Whether the current user has accepted the current terms' }),
})

export const terms = [
  endpoint('GET /user/terms', {
    summary: 'Get the terms of service',
    operationId: 'getTerms',
    access: signedIn(),
    scopes: ['read_user'],
    beforeTerms: true,
    reply: Terms,
    handle: ({ app, user }) => termsFor(app.db, user),
  }),
  endpoint('POST /user/terms', {
    summary: 'Accept the terms of service',
    operationId: 'acceptTerms',
    access: signedIn(),
    beforeTerms: true,
    reply: Terms,
    handle: ({ app, user }) => acceptTerms(app.db, user),
  }),
]
