/** The endpoints of OpenID Connect, with which other software signs its users in through this server. */
import { Type } from 'typebox'
import { applicationScopes } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { Failure, unauthorized } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { type HolderGranted, ofOAuth, tokenHolder } from './family.ts'
import { grantTypes } from './oauth.endpoints.ts'
import { claimsOf } from './openid.service.ts'
import { challengeMethods } from './pkce.ts'
import { publicKeys, signingAlgorithm } from './signing-keys.service.ts'

const words = Type.Array(Type.String())
const address = Type.String()

const Discovery = resource('OpenIdConfiguration', {
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  revocation_endpoint: address,
  introspection_endpoint: address,
  device_authorization_endpoint: address,
  registration_endpoint: Type.Optional(address),
  userinfo_endpoint: address,
  jwks_uri: address,
  scopes_supported: words,
  response_types_supported: words,
  response_modes_supported: words,
  grant_types_supported: words,
  token_endpoint_auth_methods_supported: words,
  subject_types_supported: words,
  id_token_signing_alg_values_supported: words,
  claim_types_supported: words,
  claims_supported: words,
  code_challenge_methods_supported: words,
  authorization_response_iss_parameter_supported: Type.Boolean(),
})

const Keys = resource('OpenIdKeys', {
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      kid: Type.String(),
      e: Type.String(),
      n: Type.String(),
      use: Type.String(),
      alg: Type.String(),
    }),
  ),
})

const text = Type.Optional(Type.String())

const UserInfo = resource('OpenIdUserInfo', {
  sub: Type.String({ description: 'The number of the user' }),
  name: Type.String(),
  nickname: Type.String(),
  preferred_username: Type.String(),
  email: Type.String(),
  email_verified: Type.Boolean(),
  website: text,
  profile: Type.String(),
  picture: text,
  groups: Type.Array(Type.String({ description: 'Full paths of the groups that the user belongs to' })),
})

const claims = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  ...Object.keys(UserInfo.properties).filter((name) => name !== 'sub'),
]

const userInfo = {
  ...ofOAuth,
  summary: 'Get the user of an OAuth token with the scope openid',
  access: tokenHolder(),
  scopes: ['openid'],
  reply: UserInfo,
  status: 200,
} as const

export const openIdEndpoints = [
  endpoint('GET /.well-known/openid-configuration', {
    ...ofOAuth,
    summary: 'Get the configuration of OpenID Connect',
    access: anyone(),
    reply: Discovery,
    handle: ({ app }) => discoveryOf(app.config),
  }),
  endpoint('GET /oauth/discovery/keys', {
    ...ofOAuth,
    summary: 'List the public keys that id tokens are signed with',
    access: anyone(),
    reply: Keys,
    async handle({ app }) {
      return { keys: await publicKeys(app) }
    },
  }),
  endpoint('GET /oauth/userinfo', { ...userInfo, operationId: 'getOpenIdUserInfo', handle: tellUser }),
  endpoint('POST /oauth/userinfo', { ...userInfo, operationId: 'postOpenIdUserInfo', handle: tellUser }),
]

type Telling = HolderGranted & { app: App }

async function tellUser({ app, holder, user }: Telling) {
  if (!user) throw unauthorized()
  if (!holder.scopes.includes('openid')) {
    const error_description = 'The access token has not the scope openid.'
    throw new Failure('insufficient_scope', error_description, { body: { error: 'insufficient_scope', error_description } })
  }
  return claimsOf(app, user)
}

function discoveryOf({ url, oauth_registration }: App['config']) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    revocation_endpoint: `${url}/oauth/revoke`,
    introspection_endpoint: `${url}/oauth/introspect`,
    device_authorization_endpoint: `${url}/oauth/authorize_device`,
    ...(oauth_registration && { registration_endpoint: `${url}/oauth/register` }),
    userinfo_endpoint: `${url}/oauth/userinfo`,
    jwks_uri: `${url}/oauth/discovery/keys`,
    scopes_supported: [...applicationScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...grantTypes],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [signingAlgorithm],
    claim_types_supported: ['normal'],
    claims_supported: claims,
    code_challenge_methods_supported: [...challengeMethods],
    authorization_response_iss_parameter_supported: true,
  }
}
