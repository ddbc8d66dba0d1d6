/** Service accounts of the instance, of projects and of groups, with their tokens, as today's clients know them. */
import { Type } from 'typebox'
import type { Day as DayText, User } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { columnsOf, managers, onProjectOrGroup, onProjectsAndGroups } from '../../../http/declare/places.ts'
import { administrator, only, people, withCredential } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Day, none, nullable, Off } from '../../../http/parameters/schema.ts'
import { createServiceAccount, listServiceAccounts, renameServiceAccount } from '../../people/service-accounts/service-accounts.ts'
import { NewPersonalAccessToken, PersonalAccessToken, tokenFilters } from '../access-tokens/access-tokens.schema.ts'
import { listTokens, makeToken, presentToken, revokeToken, rotateToken, serviceScopes } from '../access-tokens/access-tokens.ts'
import { deleteUser } from '../user-deletion/user-deletion.ts'
import { ofInstance, ofPlace, tokenInPath } from './service-accounts.access.ts'
import { listed, named, ServiceAccount } from './service-accounts.schema.ts'

const end = (description: string) => Type.Optional(nullable(Type.Unsafe<DayText>({ ...Day, description })))

function present({ id, username, name, email }: User) {
  return { id, username, name, email }
}

const ofTheInstance = [
  listEndpoint('GET /service_accounts', {
    summary: 'List the service accounts of the instance',
    access: administrator(),
    query: listed,
    item: ServiceAccount,
    async handle({ app, query, page }) {
      const { rows, total } = await listServiceAccounts(app.db, null, query, page)
      return { rows: rows.map(present), total }
    },
  }),
  endpoint('POST /service_accounts', {
    summary: 'Create a service account of the instance',
    access: administrator(),
    body: named,
    reply: ServiceAccount,
    fails: ['conflict'],
    handle: async ({ app, user, body }) => present(await createServiceAccount(app, user, null, body)),
  }),
  endpoint('PATCH /service_accounts/:user_id', {
    summary: 'Rename a service account of the instance',
    access: within(administrator(), ofInstance),
    body: named,
    atLeastOne: ['name', 'username'],
    reply: ServiceAccount,
    fails: ['conflict'],
    handle: async ({ app, account, body }) => present(await renameServiceAccount(app, account.id, body)),
  }),
]

const ofPlaces = onProjectsAndGroups((kind) => {
  const managed = only(onProjectOrGroup(kind, managers), people)
  const account = within(managed, ofPlace)
  const at = `/${kind}s/:id/service_accounts` as const
  return [
    listEndpoint(`GET ${at}`, {
      summary: `List the service accounts of a ${kind}`,
      access: managed,
      query: listed,
      item: ServiceAccount,
      async handle({ app, place, query, page }) {
        const { rows, total } = await listServiceAccounts(app.db, columnsOf(place), query, page)
        return { rows: rows.map(present), total }
      },
    }),
    endpoint(`POST ${at}`, {
      summary: `Create a service account of a ${kind}`,
      access: managed,
      body: named,
      reply: ServiceAccount,
      fails: ['conflict'],
      handle: async ({ app, user, place, body }) => present(await createServiceAccount(app, user, columnsOf(place), body)),
    }),
    endpoint(`PATCH ${at}/:user_id`, {
      summary: `Rename a service account of a ${kind}`,
      access: account,
      body: named,
      atLeastOne: ['name', 'username'],
      reply: ServiceAccount,
      fails: ['conflict'],
      handle: async ({ app, account, body }) => present(await renameServiceAccount(app, account.id, body)),
    }),
    endpoint(`DELETE ${at}/:user_id`, {
      summary: `Delete a service account of a ${kind}`,
      access: account,
      body: {
        hard_delete: Type.Unsafe<boolean>({ ...Off, description: 'Also delete its contributions, which otherwise go to the Ghost User' }),
      },
      reply: none,
      fails: ['conflict'],
      lastChanged: ({ account }) => account.updated_at,
      async handle({ app, account, body }) {
        await deleteUser(app, account.id, body)
        return null
      },
    }),
    listEndpoint(`GET ${at}/:user_id/personal_access_tokens`, {
      summary: `List the tokens of a service account of a ${kind}`,
      access: account,
      query: tokenFilters,
      item: PersonalAccessToken,
      async handle({ app, account, query, page }) {
        const { rows, total } = await listTokens(app.db, { user_id: account.id, impersonation: false }, query, page)
        return { rows: rows.map((row) => presentToken(row)), total }
      },
    }),
    endpoint(`POST ${at}/:user_id/personal_access_tokens`, {
      summary: `Create a token of a service account of a ${kind}`,
      access: within(withCredential(managed), ofPlace),
      body: {
        name: Type.String({ description: 'Name of the token, such as what it is for' }),
        description: Type.Optional(nullable(Type.String())),
        scopes: Type.Array(Type.String(), { default: [], description: `Any of ${serviceScopes.join(', ')}` }),
        expires_at: end('The token expires at the start of this day, in UTC; never by default'),
      },
      reply: NewPersonalAccessToken,
      async handle({ app, credential, account, body }) {
        const { token, row } = await makeToken(app.db, account, credential, body)
        return presentToken(row, token)
      },
    }),
    endpoint(`POST ${at}/:user_id/personal_access_tokens/:token_id/rotate`, {
      summary: `Rotate a token of a service account of a ${kind}`,
      access: within(within(withCredential(managed), ofPlace), tokenInPath),
      body: { expires_at: end('When the new token expires; in a week by default, if the old one expires') },
      reply: NewPersonalAccessToken,
      status: 200,
      async handle({ app, credential, accessToken, body }) {
        const { token, row } = await rotateToken(app, accessToken, credential, body.expires_at)
        return presentToken(row, token)
      },
    }),
    endpoint(`DELETE ${at}/:user_id/personal_access_tokens/:token_id`, {
      summary: `Revoke a token of a service account of a ${kind}`,
      access: within(account, tokenInPath),
      reply: none,
      lastChanged: ({ accessToken }) => accessToken.created_at,
      async handle({ app, accessToken }) {
        await revokeToken(app, accessToken)
        return null
      },
    }),
  ]
})

export const serviceAccounts = [...ofTheInstance, ...ofPlaces]
