/** Personal access tokens and impersonation tokens. */
import { type Static, Type } from 'typebox'
import { scopes } from '../../../access/levels.ts'
import type { AccessToken } from '../../../access/tokens.ts'
import { requireUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import type { Credential } from '../../../http/declare/rules.ts'
import {
  administrator,
  administrators,
  type Condition,
  only,
  people,
  type SignedIn,
  signedIn,
  withCredential,
} from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, Id, none, nullable, oneOfDefault } from '../../../http/parameters/schema.ts'
import { presentToken } from './access-tokens.present.ts'
import { listTokens, tokenById } from './access-tokens.queries.ts'
import { ImpersonationToken, NewPersonalAccessToken, PersonalAccessToken, tokenFilters } from './access-tokens.schema.ts'
import { makeToken } from './access-tokens.service.ts'
import { revokeToken, rotateToken } from './lifecycle.service.ts'

const wanted = {
  name: Type.String({ description: 'Name of the token, such as what it is for' }),
  description: Type.Optional(nullable(Type.String())),
  scopes: Type.Array(Type.String(), { default: [], description: `Any of ${scopes.join(', ')}; no more than the token of the request has` }),
  expires_at: Type.Optional(
    nullable(
      Type.Unsafe<string>({
        ...Day,
        description:
          'The token expires at the start of this day, in UTC; no later than the token of the request, if that is the same user’s',
      }),
    ),
  ),
}

const rotation = {
  expires_at: Type.Optional(
    nullable(Type.Unsafe<string>({ ...Day, description: 'When the new token expires; in a week by default, if the old one expires' })),
  ),
}
/** Every scope except `api` and, for reading, `read_api`, which always suffice. */
const anyScope = scopes.filter((scope) => scope !== 'api' && scope !== 'read_api')

const owner = nested({ user_id: Id }, async (_: SignedIn, { user_id }, app) => ({ owner: await requireUser(app.db, user_id) }))
const impersonationToken = nested({ impersonation_token_id: Id }, async ({ owner }: { owner: User }, { impersonation_token_id }, app) => ({
  token: required(await tokenById(app.db, impersonation_token_id, { impersonation: true, user_id: owner.id }), 'Impersonation Token'),
}))
const personalToken = nested({ token_id: Id }, async ({ user }: SignedIn, { token_id }, app) => ({
  token: await findPersonal(app.db, user, token_id),
}))
/** Grants the token that authenticates the request. */
const thisToken = nested({}, async ({ user, credential }: SignedIn & { credential: Credential }, _, app) => ({
  token: await findPersonal(app.db, user, credential.token_id),
}))

const impersonationTokens = [
  listEndpoint('GET /users/:user_id/impersonation_tokens', {
    summary: 'List the impersonation tokens of a user',
    access: within(administrator(), owner),
    query: { state: oneOfDefault('all', 'active', 'inactive') },
    item: ImpersonationToken,
    async handle({ app, owner, query, page }) {
      const filter = query.state === 'all' ? {} : { state: query.state }
      const { rows, total } = await listTokens(app.db, { impersonation: true, user_id: owner.id }, filter, page)
      return { rows: rows.map((row) => presentToken(row, null)), total }
    },
  }),
  endpoint('GET /users/:user_id/impersonation_tokens/:impersonation_token_id', {
    summary: 'Get an impersonation token of a user',
    access: within(within(administrator(), owner), impersonationToken),
    reply: ImpersonationToken,
    handle: ({ token }) => presentToken(token, null),
  }),
  endpoint('POST /users/:user_id/impersonation_tokens', {
    summary: 'Create an impersonation token',
    access: within(withCredential(administrator()), owner),
    body: wanted,
    reply: ImpersonationToken,
    async handle({ app, user, credential, owner, body }) {
      const { token, row } = await makeToken(app.db, owner, credential, body, user)
      return presentToken(row, token)
    },
  }),
  endpoint('DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id', {
    summary: 'Revoke an impersonation token',
    access: within(within(administrator(), owner), impersonationToken),
    reply: none,
    lastChanged: ({ token }) => token.created_at,
    handle: ({ app, token }) => revoke(app, token),
  }),
]

const oneself: Condition<SignedIn> = { description: 'the user concerned', holds: ({ user }, { value }) => value === user.id }

const personalTokens = [
  listEndpoint('GET /personal_access_tokens', {
    summary: 'List the personal access tokens of the current user; for administrators, of all users',
    access: signedIn(),
    query: { user_id: Type.Optional(Id), ...tokenFilters },
    reserved: { user_id: [administrators, oneself] },
    item: PersonalAccessToken,
    async handle({ app, user, query, page }) {
      const user_id = query.user_id ?? ownerFor(user)
      const { rows, total } = await listTokens(app.db, { user_id, impersonation: false }, query, page)
      return { rows: rows.map((row) => presentToken(row)), total }
    },
  }),
  endpoint('GET /personal_access_tokens/self', {
    summary: 'Get the personal access token of the request',
    operationId: 'getOwnPersonalAccessToken',
    access: within(withCredential(signedIn()), thisToken),
    scopes: anyScope,
    reply: PersonalAccessToken,
    handle: ({ token }) => presentToken(token),
  }),
  endpoint('GET /personal_access_tokens/:token_id', {
    summary: 'Get a personal access token of the current user; for administrators, of any user',
    access: within(signedIn(), personalToken),
    reply: PersonalAccessToken,
    handle: ({ token }) => presentToken(token),
  }),
  endpoint('POST /user/personal_access_tokens', {
    summary: 'Create a personal access token for the current user',
    access: withCredential(signedIn()),
    body: wanted,
    reply: NewPersonalAccessToken,
    handle: ({ app, user, credential, body }) => createPersonal(app.db, user, credential, body),
  }),
  endpoint('POST /users/:user_id/personal_access_tokens', {
    summary: 'Create a personal access token for a user',
    access: within(withCredential(administrator()), owner),
    body: wanted,
    reply: NewPersonalAccessToken,
    handle: ({ app, credential, owner, body }) => createPersonal(app.db, owner, credential, body),
  }),
  endpoint('DELETE /personal_access_tokens/self', {
    summary: 'Revoke the personal access token of the request',
    operationId: 'deleteOwnPersonalAccessToken',
    access: within(withCredential(signedIn()), thisToken),
    scopes: ['read_api', ...anyScope],
    reply: none,
    lastChanged: ({ token }) => token.created_at,
    handle: ({ app, token }) => revoke(app, token),
  }),
  endpoint('DELETE /personal_access_tokens/:token_id', {
    summary: 'Revoke a personal access token of the current user; for administrators, of any user',
    access: within(signedIn(), personalToken),
    reply: none,
    lastChanged: ({ token }) => token.created_at,
    handle: ({ app, token }) => revoke(app, token),
  }),
  endpoint('POST /personal_access_tokens/self/rotate', {
    summary: 'Rotate the personal access token of the request',
    operationId: 'rotateOwnPersonalAccessToken',
    access: within(withCredential(signedIn()), thisToken),
    scopes: ['self_rotate'],
    body: rotation,
    reply: NewPersonalAccessToken,
    status: 200,
    handle: ({ app, credential, token, body }) => rotate(app, token, credential, body.expires_at),
  }),
  endpoint('POST /personal_access_tokens/:token_id/rotate', {
    summary: 'Rotate a personal access token of the current user; for administrators, of any user',
    access: within(withCredential(only(signedIn(), people)), personalToken),
    body: rotation,
    reply: NewPersonalAccessToken,
    status: 200,
    handle: ({ app, credential, token, body }) => rotate(app, token, credential, body.expires_at),
  }),
]

export const accessTokens = [...impersonationTokens, ...personalTokens]

/** The user whose tokens a caller may see; undefined for administrators, who see all. */
function ownerFor(user: User): number | undefined {
  return user.admin ? undefined : user.id
}

async function createPersonal(db: Db, owner: User, credential: Credential, body: Static<Type.TObject<typeof wanted>>) {
  const { token, row } = await makeToken(db, owner, credential, body)
  return presentToken(row, token)
}

async function revoke(app: App, token: AccessToken): Promise<null> {
  await revokeToken(app, token)
  return null
}

async function rotate(app: App, old: AccessToken, credential: Credential, expires_at: string | null | undefined) {
  const { token, row } = await rotateToken(app, old, credential, expires_at)
  return presentToken(row, token)
}

async function findPersonal(db: Db, user: User, id: number | null): Promise<AccessToken> {
  const token = id === null ? null : await tokenById(db, id, { impersonation: false, user_id: ownerFor(user) })
  return required(token, 'Personal Access Token')
}

function required(token: AccessToken | null, what: string): AccessToken {
  if (!token) throw notFound(what)
  return token
}
