/** Dynamic registration (RFC 7591): a program registers itself as an application, where the configuration allows it. */
import { Type } from 'typebox'
import { applicationScopes } from '../../../access/levels.ts'
import { Failure, notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { machines } from '../../../http/declare/machines.ts'
import { oneOfDefault, resource } from '../../../http/parameters/schema.ts'
import { oauthFailure } from '../../../http/reply/error-shapes.ts'
import { createApplication, redirectUrisOf } from '../oauth-applications/oauth-applications.ts'
import { ofOAuth } from './family.ts'
import { secondsOf } from './revocation.service.ts'

/** Nobody vouches for such an application, so it never gets sudo. */
const registrable = applicationScopes.filter((scope) => scope !== 'sudo')

const Registration = resource('OAuthRegistration', {
  client_id: Type.String(),
  client_id_issued_at: Type.Integer(),
  client_secret: Type.Optional(Type.String({ description: 'Shown only once' })),
  client_secret_expires_at: Type.Optional(Type.Integer({ description: 'Always 0: it does not expire' })),
  client_name: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  token_endpoint_auth_method: Type.String(),
  grant_types: Type.Array(Type.String()),
  response_types: Type.Array(Type.String()),
  scope: Type.String(),
})

export const registrationEndpoints = [
  endpoint('POST /oauth/register', {
    ...ofOAuth,
    summary: 'Register an OAuth application',
    access: machines('any program, where GITSTEAD_OAUTH_REGISTRATION is true'),
    body: {
      client_name: Type.String({ default: 'Unnamed application' }),
      redirect_uris: Type.Array(Type.String(), { default: [] }),
      token_endpoint_auth_method: oneOfDefault('client_secret_basic', 'client_secret_post', 'none'),
      scope: Type.String({ default: registrable.join(' ') }),
    },
    reply: Registration,
    headers: () => ({ 'cache-control': 'no-store' }),
    async handle({ app, body: { client_name, redirect_uris, token_endpoint_auth_method, scope } }) {
      if (!app.config.oauth_registration) throw notFound('Registration')
      if (scope.split(/\s+/).includes('sudo'))
        throw oauthFailure('invalid_client_metadata', 'The scope sudo is not for registered applications.')
      const confidential = token_endpoint_auth_method !== 'none'
      const wanted = { name: client_name, redirect_uri: redirect_uris.join('\n'), scopes: scope }
      const { row, secret } = await createApplication(app.db, { ...wanted, confidential, owner_id: null, registered: true }).catch(
        asMetadataError,
      )
      return {
        client_id: row.uid,
        client_id_issued_at: secondsOf(row.created_at),
        ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
        client_name: row.name,
        redirect_uris: redirectUrisOf(row),
        token_endpoint_auth_method,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: row.scopes,
      }
    },
  }),
]

/** Converts the error to the codes of the standard. */
function asMetadataError(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'invalid') throw error
  const [[field, sentences]] = Object.entries(error.body.message as Record<string, string[]>) as [[string, string[]]]
  throw oauthFailure(field === 'redirect_uri' ? 'invalid_redirect_uri' : 'invalid_client_metadata', `${field} ${sentences.join(', ')}`)
}
