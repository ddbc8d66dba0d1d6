/** Users: what they see of each other, and how administrators create them (spec 2.1, 4.7). */
import { type Static, Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { badParameter, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, administrators, anyone, type Condition, type Granted, only, signedIn } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { Instant, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import { customAttributesFilter, withCustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { assertMayList, seesUsers } from './users.access.ts'
import { presentUserBrief, presentUserProfile } from './users.present.ts'
import { listUsers } from './users.queries.ts'
import { assertWholeIdentity } from './users.rules.ts'
import { settingsOfUser, UserAccount, UserAny } from './users.schema.ts'
import { createUser, presentAccount, presentAccounts } from './users.service.ts'

const filters = {
  search: Type.Optional(Type.String({ description: 'Words of a name or username; for administrators also a complete email address' })),
  username: Type.Optional(Type.String()),
  active: Off,
  blocked: Off,
  deactivated: Off,
  banned: Off,
  blocked_pending_approval: Off,
  exclude_active: Off,
  external: Off,
  exclude_external: Off,
  admins: Type.Boolean({ default: false, description: 'Only administrators' }),
  extern_uid: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
  created_after: Type.Optional(Instant),
  created_before: Type.Optional(Instant),
  two_factor: Type.Optional(oneOf('enabled', 'disabled')),
  without_project_bots: Type.Unsafe<boolean>({
    ...Off,
    description: 'Leave out bot users; always so for callers who are not administrators',
  }),
  humans: Type.Unsafe<boolean>({ ...Off, description: 'Only people: neither bot users nor the Ghost User' }),
  order_by: oneOfDefault('id', 'name', 'username', 'created_at', 'updated_at'),
  sort: oneOfDefault('desc', 'asc'),
  ...customAttributesFilter,
}

/** A form sends all of its fields: an empty one is no filter. */
const emptyField: Condition<Granted> = { description: 'those who send it empty', holds: (_, { value }) => value === '' }

const currentUser = {
  summary: 'Get the current user',
  access: signedIn(),
  scopes: ['read_user'],
  reply: UserAccount,
  fromDatabase: true,
  handle: ({ app, user }: { app: App; user: User }) => presentAccount(app, user, user),
} as const

export const users = [
  endpoint('GET /user', currentUser),
  // The only remaining endpoint of version 3: OAuth clients of that time look up the user there.
  endpoint('GET /api/v3/user', { ...currentUser, outsideApi: true, operationId: 'getCurrentUserOfVersion3' }),
  listEndpoint('GET /users', {
    summary: 'List users',
    access: anyone(),
    scopes: ['read_user'],
    query: filters,
    reserved: {
      banned: [administrators],
      blocked_pending_approval: [administrators],
      external: [administrators],
      admins: [administrators],
      exclude_external: [administrators],
      provider: [administrators, emptyField],
    },
    item: UserAny,
    fromDatabase: true,
    keyset: true,
    async handle({ app, user, query, page }) {
      assertWholeIdentity(query)
      await assertMayList(app, user, query)
      return user?.admin ? listForAdministrator(app, user, query, page) : listForOthers(app, user, query, page)
    },
  }),
  endpoint('GET /users/:id', {
    summary: 'Get a user',
    access: within(
      only(
        anyone(),
        seesUsers(() => notFound('User')),
      ),
      userById,
    ),
    scopes: ['read_user'],
    query: withCustomAttributes,
    reply: UserAny,
    handle: ({ app, user, owner, query }) =>
      user?.admin ? presentAccount(app, owner, user, query.with_custom_attributes) : presentUserProfile(app.config, owner, user),
  }),
  endpoint('POST /users', {
    summary: 'Create a user',
    access: administrator(),
    body: {
      ...settingsOfUser,
      email: Type.String(),
      username: Type.String(),
      name: Type.String(),
      reset_password: Type.Unsafe<boolean>({
        ...Off,
        description: 'The user has no known password until they set one; overrides password',
      }),
      skip_confirmation: Off,
    },
    reply: UserAccount,
    fails: ['conflict'],
    async handle({ app, user, body }) {
      assertWholeIdentity(body)
      const { reset_password, skip_confirmation, ...input } = body
      if (!input.password && !reset_password)
        throw badParameter('password, reset_password are missing, at least one parameter must be provided')
      const password = reset_password ? undefined : input.password
      const created = await createUser(app, { ...input, password, confirmed: skip_confirmation, is_invited: reset_password })
      return presentAccount(app, created, user)
    },
  }),
]

type Filters = Static<Type.TObject<typeof filters>>

async function listForAdministrator(app: App, user: User, { with_custom_attributes, ...filter }: Filters, page: Page) {
  const { rows, ...place } = await listUsers(app.db, user, { ...filter, external: filter.external || undefined }, page)
  return { rows: await presentAccounts(app, rows, user, with_custom_attributes), ...place }
}

/** Without filters that would reveal more about users than is shown. */
async function listForOthers(app: App, user: User | null, filter: Filters, page: Page) {
  const { search, username, active, blocked, deactivated, exclude_active, created_after, created_before, humans } = filter
  // The name of a bot user is that of a token.
  const states = { active, blocked, deactivated, exclude_active, shown: true }
  const allowed = { search, username, ...states, created_after, created_before, humans, without_project_bots: true }
  const order_by = search ? 'relevance' : 'id'
  // Any other order would reveal when a user with a private profile was created.
  const keyset = page.keyset ? { ...page.keyset, order_by: 'id' } : null
  const { rows, ...place } = await listUsers(app.db, user, { ...allowed, external: false, order_by, sort: 'desc' }, { ...page, keyset })
  return { rows: rows.map((row) => presentUserBrief(app.config, row)), ...place }
}
