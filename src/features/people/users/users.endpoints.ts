/** Users: who sees what of whom, and how administrators make them (spec 2.1, 4.7). */
import { type Static, Type } from 'typebox'
import { requireUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { badParameter, forbidden, notFound, unauthorized } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import type { Page } from '../../../http/page.ts'
import { administrator, anyone, signedIn } from '../../../http/rules.ts'
import { Instant, Off, oneOf, oneOfDefault } from '../../../http/schema.ts'
import { customAttributesFilter, withCustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { presentUserBrief, presentUserProfile } from './users.present.ts'
import { listUsers } from './users.queries.ts'
import { assertWholeIdentity } from './users.rules.ts'
import { settingsOfUser, UserAccount, UserAny, UserNumber } from './users.schema.ts'
import { areHiddenFrom, createUser, presentAccount, presentAccounts } from './users.service.ts'

const filters = {
  search: Type.Optional(Type.String({ description: 'Words of a name or user name; for administrators also a whole email address' })),
  username: Type.Optional(Type.String()),
  active: Off,
  blocked: Off,
  external: Off,
  extern_uid: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
  created_after: Type.Optional(Instant),
  created_before: Type.Optional(Instant),
  two_factor: Type.Optional(oneOf('enabled', 'disabled')),
  order_by: oneOfDefault('id', 'name', 'username', 'created_at', 'updated_at'),
  sort: oneOfDefault('desc', 'asc'),
  ...customAttributesFilter,
}

export const users = [
  endpoint('GET /user', {
    summary: 'Get the current user',
    access: signedIn(),
    scopes: ['read_user'],
    reply: UserAccount,
    fromDatabase: true,
    handle: ({ app, user }) => presentAccount(app, user, user),
  }),
  listEndpoint('GET /users', {
    summary: 'List users',
    access: anyone(),
    scopes: ['read_user'],
    query: filters,
    item: UserAny,
    fromDatabase: true,
    async handle({ app, user, query, page }) {
      assertWholeIdentity(query)
      if (!user?.admin && (query.external || query.provider)) throw user ? forbidden() : unauthorized()
      if ((!user && !query.username) || (await areHiddenFrom(app, user))) throw forbidden('Not authorized to access /api/v4/users')
      return user?.admin ? listForAdministrator(app, user, query, page) : listForOthers(app, user, query, page)
    },
  }),
  endpoint('GET /users/:id', {
    summary: 'Get a user',
    access: anyone(),
    scopes: ['read_user'],
    params: { id: UserNumber },
    query: withCustomAttributes,
    reply: UserAny,
    async handle({ app, user, params, query }) {
      if (await areHiddenFrom(app, user)) throw notFound('User')
      const found = await requireUser(app.db, params.id)
      return user?.admin ? presentAccount(app, found, user, query.with_custom_attributes) : presentUserProfile(app.config, found, user)
    },
  }),
  endpoint('POST /users', {
    summary: 'Create a user',
    access: administrator(),
    body: {
      ...settingsOfUser,
      email: Type.String(),
      username: Type.String(),
      name: Type.String(),
      reset_password: Type.Unsafe<boolean>({ ...Off, description: 'Whether nobody knows a password until one is set; wins over password' }),
      skip_confirmation: Off,
    },
    reply: UserAccount,
    fails: { conflict: 409 },
    async handle({ app, user, body }) {
      assertWholeIdentity(body)
      const { reset_password, skip_confirmation, ...input } = body
      if (!input.password && !reset_password)
        throw badParameter('password, reset_password are missing, at least one parameter must be provided')
      const password = reset_password ? undefined : input.password
      const created = await createUser(app, { ...input, password, confirmed: skip_confirmation })
      return presentAccount(app, created, user)
    },
  }),
]

type Filters = Static<Type.TObject<typeof filters>>

async function listForAdministrator(app: App, user: User, { with_custom_attributes, ...filter }: Filters, page: Page) {
  const { rows, total } = await listUsers(app.db, user, { ...filter, external: filter.external || undefined }, page)
  return { rows: await presentAccounts(app, rows, user, with_custom_attributes), total }
}

/** Without what would tell of users more than is shown of them. */
async function listForOthers(app: App, user: User | null, filter: Filters, page: Page) {
  const { search, username, active, blocked, created_after, created_before } = filter
  const asked = { search, username, active, blocked, created_after, created_before }
  const order_by = search ? 'relevance' : 'id'
  const { rows, total } = await listUsers(app.db, user, { ...asked, external: false, order_by, sort: 'desc' }, page)
  return { rows: rows.map((row) => presentUserBrief(app.config, row)), total }
}
