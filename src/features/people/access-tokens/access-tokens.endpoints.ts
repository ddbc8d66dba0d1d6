/** Personal access tokens and impersonation tokens. */
import { type Static, Type } from 'typebox'
import { scopes } from '../../../access/levels.ts'
import type { AccessToken } from '../../../access/tokens.ts'
import { requireUser } from '../../../access/users.ts'
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { type Access, administrator, signedIn } from '../../../http/rules.ts'
import { Day, Id, none, nullable, oneOf, oneOfDefault } from '../../../http/schema.ts'
import { presentToken } from './access-tokens.present.ts'
import { listTokens, setRevoked, tokenById } from './access-tokens.queries.ts'
import { ImpersonationToken, NewPersonalAccessToken, PersonalAccessToken } from './access-tokens.schema.ts'
import { type Asking, makeToken } from './access-tokens.service.ts'

const wanted = {
  name: Type.String({ description: 'What the token is called, such as what it is for' }),
  scopes: Type.Array(Type.String(), { default: [], description: `Any of ${scopes.join(', ')}, and no more than the token that asks has` }),
  expires_at: Type.Optional(
    nullable(
      Type.Unsafe<string>({
        ...Day,
        description: 'With the beginning of this day, in UTC, it ends: no later than the token that asks, if that is the user’s own',
      }),
    ),
  ),
}

interface WithToken {
  user: User
  asking: Asking
}

const impersonationTokens = [
  listEndpoint('GET /users/:user_id/impersonation_tokens', {
    summary: 'List the impersonation tokens of a user',
    access: administrator(),
    params: { user_id: Id },
    query: { state: oneOfDefault('all', 'active', 'inactive') },
    item: ImpersonationToken,
    async handle({ app, params, query, page }) {
      const { id } = await requireUser(app.db, params.user_id)
      const { rows, total } = await listTokens(app.db, { impersonation: true, user_id: id, state: query.state }, page)
      return { rows: rows.map((row) => presentToken(row, null)), total }
    },
  }),
  endpoint('GET /users/:user_id/impersonation_tokens/:impersonation_token_id', {
    summary: 'Get an impersonation token of a user',
    access: administrator(),
    params: { user_id: Id, impersonation_token_id: Id },
    reply: ImpersonationToken,
    handle: async ({ app, params }) => presentToken(await findImpersonation(app.db, params), null),
  }),
  endpoint('POST /users/:user_id/impersonation_tokens', {
    summary: 'Make a token with which to act as a user',
    access: withToken(administrator()),
    params: { user_id: Id },
    body: wanted,
    reply: ImpersonationToken,
    async handle({ app, asking, params, body }) {
      const user = await requireUser(app.db, params.user_id)
      const { token, row } = await makeToken(app.db, user, asking, { ...body, impersonation: true })
      return presentToken(row, token)
    },
  }),
  endpoint('DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id', {
    summary: 'Revoke an impersonation token of a user',
    access: administrator(),
    params: { user_id: Id, impersonation_token_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    async handle({ app, params, unmodifiedSince }) {
      return revoke(app.db, await findImpersonation(app.db, params), unmodifiedSince)
    },
  }),
]

const personalTokens = [
  listEndpoint('GET /personal_access_tokens', {
    summary: 'List one’s personal access tokens; administrators, those of everybody',
    access: signedIn(),
    query: {
      user_id: Type.Optional(Id),
      state: Type.Optional(oneOf('active', 'inactive')),
      revoked: Type.Optional(Type.Boolean()),
      search: Type.Optional(Type.String({ description: 'Part of a name' })),
    },
    item: PersonalAccessToken,
    async handle({ app, user, query, page }) {
      if (!user.admin && (query.user_id ?? user.id) !== user.id) throw forbidden()
      const user_id = query.user_id ?? whose(user)
      const { rows, total } = await listTokens(app.db, { ...query, user_id, impersonation: false }, page)
      return { rows: rows.map((row) => presentToken(row)), total }
    },
  }),
  endpoint('GET /personal_access_tokens/self', {
    summary: 'Get the personal access token the request is made with',
    access: withToken(signedIn()),
    scopes: ['read_user', 'read_repository', 'sudo'],
    reply: PersonalAccessToken,
    handle: async ({ app, user, asking }) => presentToken(await findPersonal(app.db, user, asking.token_id)),
  }),
  endpoint('GET /personal_access_tokens/:token_id', {
    summary: 'Get a personal access token: one’s own, or as administrator anybody’s',
    access: signedIn(),
    params: { token_id: Id },
    reply: PersonalAccessToken,
    handle: async ({ app, user, params }) => presentToken(await findPersonal(app.db, user, params.token_id)),
  }),
  endpoint('POST /user/personal_access_tokens', {
    summary: 'Make a personal access token for the current user',
    access: withToken(signedIn()),
    body: wanted,
    reply: NewPersonalAccessToken,
    handle: ({ app, user, asking, body }) => makePersonal(app.db, user, asking, body),
  }),
  endpoint('POST /users/:user_id/personal_access_tokens', {
    summary: 'Make a personal access token for a user',
    access: withToken(administrator()),
    params: { user_id: Id },
    body: wanted,
    reply: NewPersonalAccessToken,
    handle: async ({ app, asking, params, body }) => makePersonal(app.db, await requireUser(app.db, params.user_id), asking, body),
  }),
  endpoint('DELETE /personal_access_tokens/self', {
    summary: 'Revoke the personal access token the request is made with',
    access: withToken(signedIn()),
    reply: none,
    fails: { unmodified_since: 412 },
    handle: async ({ app, user, asking, unmodifiedSince }) =>
      revoke(app.db, await findPersonal(app.db, user, asking.token_id), unmodifiedSince),
  }),
  endpoint('DELETE /personal_access_tokens/:token_id', {
    summary: 'Revoke a personal access token: one’s own, or as administrator anybody’s',
    access: signedIn(),
    params: { token_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: async ({ app, user, params, unmodifiedSince }) =>
      revoke(app.db, await findPersonal(app.db, user, params.token_id), unmodifiedSince),
  }),
]

export const accessTokens = [...impersonationTokens, ...personalTokens]

/** The rule, granting also what the request was made with. */
function withToken(inner: Access<{ user: User }>): Access<WithToken> {
  return {
    ...inner,
    async grant(app, caller, params) {
      const { user } = await inner.grant(app, caller, params)
      return { user, asking: { scopes: caller.scopes, token_id: caller.token_id } }
    },
  }
}

/** Administrators see the tokens of everybody. */
function whose(user: User): number | undefined {
  return user.admin ? undefined : user.id
}

async function makePersonal(db: Db, user: User, asking: Asking, body: Static<Type.TObject<typeof wanted>>) {
  const { token, row } = await makeToken(db, user, asking, { ...body, impersonation: false })
  return presentToken(row, token)
}

async function revoke(db: Db, { id, created_at }: AccessToken, unmodifiedSince: Date | null): Promise<null> {
  requireUnmodified(unmodifiedSince, created_at)
  await setRevoked(db, id)
  return null
}

async function findPersonal(db: Db, user: User, id: number | null): Promise<AccessToken> {
  const token = id === null ? null : await tokenById(db, id, { impersonation: false, user_id: whose(user) })
  if (!token) throw notFound('Personal Access Token')
  return token
}

async function findImpersonation(
  db: Db,
  { user_id, impersonation_token_id }: { user_id: number; impersonation_token_id: number },
): Promise<AccessToken> {
  const user = await requireUser(db, user_id)
  const token = await tokenById(db, impersonation_token_id, { impersonation: true, user_id: user.id })
  if (!token) throw notFound('Impersonation Token')
  return token
}
