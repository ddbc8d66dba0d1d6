/** The endpoints of OAuth 2.0 for programs: issuing tokens for all kinds of grants, introspection and revocation. Users decide on pages. */
import { type Static, Type } from 'typebox'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { machines } from '../../../http/declare/machines.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { oauthFailure } from '../../../http/reply/error-shapes.ts'
import { uidOf } from '../oauth-applications/oauth-applications.ts'
import { authenticateClient, findClient } from './clients.service.ts'
import { deviceCodeLasts_s, pollInterval_s, startDevice, tokenForDevice } from './device.service.ts'
import { everyScope, ofOAuth, tokenHolder } from './family.ts'
import { idTokenFor } from './openid.service.ts'
import { introspect, revokeByToken, secondsOf } from './revocation.service.ts'
import { type IssuedToken, redeemCode, refreshToken, tokenForClient, tokenForPassword, tokenLasts_s } from './tokens.service.ts'

const text = Type.Optional(Type.String())

/** Client credentials, if it sends no `Authorization: Basic`. */
const client = { client_id: text, client_secret: text }

const Token = resource('OAuthToken', {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds' }),
  refresh_token: Type.Optional(Type.String()),
  scope: Type.String(),
  created_at: Type.Integer({ description: 'Seconds since 1970' }),
  id_token: Type.Optional(Type.String({ description: 'With the scope openid: who signed in, as a signed JWT' })),
})

const TokenInfo = resource('OAuthTokenInfo', {
  resource_owner_id: Type.Union([Type.Integer(), Type.Null()]),
  scope: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  expires_in: Type.Integer(),
  expires_in_seconds: Type.Integer(),
  application: Type.Object({ uid: Type.Union([Type.String(), Type.Null()]) }),
  created_at: Type.Integer(),
})

const Introspection = resource('OAuthIntrospection', {
  active: Type.Boolean(),
  scope: text,
  client_id: text,
  username: text,
  token_type: text,
  exp: Type.Optional(Type.Integer()),
  iat: Type.Optional(Type.Integer()),
  sub: text,
})

const Revocation = resource('OAuthRevocation', {})

const DeviceAuthorization = resource('OAuthDeviceAuthorization', {
  device_code: Type.String(),
  user_code: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer(),
  interval: Type.Integer(),
})

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

export const grantTypes = ['authorization_code', 'refresh_token', 'password', 'client_credentials', deviceGrant] as const

const unstored = { headers: () => ({ 'cache-control': 'no-store', pragma: 'no-cache' }) }
const byClients = machines('an OAuth application, by its id and secret')

const tokenBody = {
  ...client,
  grant_type: Type.String({ description: `Any of ${grantTypes.join(', ')}` }),
  code: text,
  redirect_uri: text,
  code_verifier: text,
  refresh_token: text,
  username: text,
  password: text,
  device_code: text,
  scope: text,
}

const sentToken = Type.Object(tokenBody)

type SentToken = Static<typeof sentToken>

export const oauthEndpoints = [
  endpoint('POST /oauth/token', {
    ...ofOAuth,
    ...unstored,
    summary: 'Create an OAuth access token',
    access: byClients,
    body: tokenBody,
    reply: Token,
    status: 200,
    async handle({ app, ip, headers, body }) {
      const issued = await issue(app, body, { ip, authorization: headers.authorization })
      return presentToken(app, issued)
    },
  }),
  endpoint('POST /oauth/revoke', {
    ...ofOAuth,
    summary: 'Revoke an OAuth token',
    access: byClients,
    body: { ...client, token: Type.String(), token_type_hint: text },
    reply: Revocation,
    status: 200,
    async handle({ app, headers: { authorization }, body: { token, ...sent } }) {
      await revokeByToken(
        app,
        await findClient(app.db, { authorization, client_id: sent.client_id, client_secret: sent.client_secret }),
        token,
      )
      return {}
    },
  }),
  endpoint('POST /oauth/introspect', {
    ...ofOAuth,
    ...unstored,
    summary: 'Get what an OAuth token is good for',
    access: byClients,
    body: { ...client, token: Type.String(), token_type_hint: text },
    reply: Introspection,
    status: 200,
    async handle({ app, headers: { authorization }, body: { token, client_id, client_secret } }) {
      const application = await authenticateClient(app.db, { authorization, client_id, client_secret })
      if (!application.confidential) throw oauthFailure('unauthorized_client', 'This is for applications with a secret.')
      return introspect(app, application, token)
    },
  }),
  endpoint('GET /oauth/token/info', {
    ...ofOAuth,
    ...unstored,
    summary: 'Get the OAuth token of the request',
    access: tokenHolder(),
    scopes: everyScope,
    reply: TokenInfo,
    async handle({ app, holder: { scopes, token }, user }) {
      const left = Math.max(0, secondsOf(token.expires_at) - Math.floor(Date.now() / 1000))
      return {
        resource_owner_id: user?.id ?? null,
        scope: [...scopes],
        scopes: [...scopes],
        expires_in: left,
        expires_in_seconds: left,
        application: { uid: token.application_id === null ? null : await uidOf(app.db, token.application_id) },
        created_at: secondsOf(token.created_at),
      }
    },
  }),
  endpoint('POST /oauth/authorize_device', {
    ...ofOAuth,
    ...unstored,
    summary: 'Start the authorization of a device without a browser',
    access: byClients,
    body: { ...client, scope: text },
    reply: DeviceAuthorization,
    status: 200,
    async handle({ app, headers: { authorization }, body: { client_id, client_secret, scope } }) {
      const application = await authenticateClient(app.db, { authorization, client_id, client_secret })
      const { device_code, user_code } = await startDevice(app, application, scope)
      const page = `${app.config.url}/oauth/device`
      return {
        device_code,
        user_code,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${user_code}`,
        expires_in: deviceCodeLasts_s,
        interval: pollInterval_s,
      }
    },
  }),
]

async function issue(
  app: App,
  sent: SentToken,
  { ip, authorization }: { ip: string; authorization: string | undefined },
): Promise<IssuedToken> {
  const { grant_type, scope, client_id, client_secret } = sent
  const identity = { authorization, client_id, client_secret }
  const known = () => authenticateClient(app.db, identity)
  switch (grant_type) {
    case 'authorization_code': {
      const { code, redirect_uri } = needed(sent, 'code', 'redirect_uri')
      return redeemCode(app, await known(), { code, redirect_uri, code_verifier: sent.code_verifier })
    }
    case 'refresh_token': {
      const { refresh_token } = needed(sent, 'refresh_token')
      return refreshToken(app, await findClient(app.db, identity), { refresh_token, scope })
    }
    case 'password': {
      const { username, password } = needed(sent, 'username', 'password')
      return tokenForPassword(app, await findClient(app.db, identity), { username, password, scope, ip })
    }
    case 'client_credentials':
      return tokenForClient(app, await known(), scope)
    case deviceGrant: {
      const { device_code } = needed(sent, 'device_code')
      return tokenForDevice(app, await known(), device_code)
    }
    default:
      throw oauthFailure('unsupported_grant_type', `The grant_type must be one of ${grantTypes.join(', ')}.`)
  }
}

function needed<N extends keyof SentToken>(sent: SentToken, ...names: N[]): Record<N, string> {
  const missing = names.find((name) => !sent[name])
  if (missing !== undefined) throw oauthFailure('invalid_request', `${missing} is missing`)
  return Object.fromEntries(names.map((name) => [name, sent[name]])) as Record<N, string>
}

async function presentToken(app: App, issued: IssuedToken): Promise<Static<typeof Token>> {
  const { access_token, refresh_token, scopes, created_at } = issued
  const id_token = scopes.includes('openid') ? await idTokenOf(app, issued) : null
  return {
    access_token,
    token_type: 'bearer',
    expires_in: tokenLasts_s,
    ...(refresh_token !== null && { refresh_token }),
    scope: scopes.join(' '),
    created_at: secondsOf(created_at),
    ...(id_token !== null && { id_token }),
  }
}

/** None if the grant has no user or no application. */
async function idTokenOf(app: App, { grant }: IssuedToken): Promise<string | null> {
  const { user_id, application_id } = grant
  const user = user_id === null ? null : await userById(app.db, user_id)
  const client_id = application_id === null ? null : await uidOf(app.db, application_id)
  return user && client_id !== null ? idTokenFor(app, { user, client_id, grant }) : null
}
