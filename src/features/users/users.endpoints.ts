/** Users (spec 4.7). */
import { Type } from 'typebox'
import { findUser } from '../../access/users.ts'
import { badParameter, forbidden, notFound } from '../../failure.ts'
import { endpoint, listEndpoint } from '../../http/endpoint.ts'
import { administrator, anyone, signedIn } from '../../http/rules.ts'
import { Id, Instant, Off, oneOfDefault, text } from '../../http/schema.ts'
import { presentUserAccount, presentUserBrief, presentUserProfile } from './users.present.ts'
import { identitiesOf, listUsers } from './users.queries.ts'
import { UserAccount, UserAny } from './users.schema.ts'
import { createUser } from './users.service.ts'

const optionalText = Type.Optional(text(255))

export const users = [
  endpoint('GET /user', {
    summary: 'Get the current user',
    access: signedIn(),
    scopes: ['read_user'],
    reply: UserAccount,
    async handle({ app, user }) {
      const identities = await identitiesOf(app.db, [user])
      return presentUserAccount(app.config, user, identities.get(user.id) ?? [], user)
    },
  }),
  listEndpoint('GET /users', {
    summary: 'List users',
    access: anyone(),
    scopes: ['read_user'],
    query: {
      search: Type.Optional(Type.String({ description: 'Part of a name or user name, or a whole email address' })),
      username: Type.Optional(Type.String()),
      active: Off,
      blocked: Off,
      external: Off,
      extern_uid: Type.Optional(Type.String()),
      provider: Type.Optional(Type.String()),
      created_after: Type.Optional(Instant),
      created_before: Type.Optional(Instant),
      order_by: oneOfDefault('id', 'name', 'username', 'created_at', 'updated_at'),
      sort: oneOfDefault('desc', 'asc'),
    },
    item: UserAny,
    async handle({ app, user, query, page }) {
      if (Boolean(query.extern_uid) !== Boolean(query.provider))
        throw badParameter('extern_uid, provider provide all or none of parameters')
      if (!user?.admin && (query.external || query.provider)) throw forbidden()
      if (!user && !query.username) throw forbidden('Not authorized to access /api/v4/users')
      if (!user?.admin) {
        const { search, username, active, blocked } = query
        const order_by = search ? 'relevance' : 'id'
        const { rows, total } = await listUsers(
          app.db,
          { search, username, active, blocked, external: false, order_by, sort: 'desc' },
          page,
        )
        return { rows: rows.map((row) => presentUserBrief(app.config, row)), total }
      }
      const { rows, total } = await listUsers(app.db, { ...query, external: query.external || undefined }, page)
      const identities = await identitiesOf(app.db, rows)
      return { rows: rows.map((row) => presentUserAccount(app.config, row, identities.get(row.id) ?? [], user)), total }
    },
  }),
  endpoint('GET /users/:id', {
    summary: 'Get a user',
    access: anyone(),
    scopes: ['read_user'],
    params: { id: Id },
    reply: UserAny,
    async handle({ app, user, params }) {
      const found = await findUser(app.db, String(params.id))
      if (!found) throw notFound('User')
      if (!user?.admin) return presentUserProfile(app.config, found, user)
      const identities = await identitiesOf(app.db, [found])
      return presentUserAccount(app.config, found, identities.get(found.id) ?? [], user)
    },
  }),
  endpoint('POST /users', {
    summary: 'Create a user',
    access: administrator(),
    body: {
      email: Type.String(),
      username: Type.String(),
      name: Type.String(),
      password: Type.Optional(Type.String()),
      reset_password: Off,
      skype: optionalText,
      linkedin: optionalText,
      twitter: optionalText,
      website_url: optionalText,
      organization: optionalText,
      projects_limit: Type.Optional(Type.Integer()),
      extern_uid: optionalText,
      provider: optionalText,
      bio: Type.Optional(Type.String()),
      location: optionalText,
      admin: Off,
      can_create_group: Type.Optional(Type.Boolean()),
      skip_confirmation: Off,
      external: Off,
      private_profile: Off,
    },
    reply: UserAccount,
    fails: { conflict: 409 },
    async handle({ app, user, body }) {
      if (!body.password && !body.reset_password)
        throw badParameter('password, reset_password are missing, at least one parameter must be provided')
      const { reset_password, skip_confirmation, password, ...input } = body
      const created = await createUser(app, { ...input, password: reset_password ? undefined : password, confirmed: skip_confirmation })
      const identities = await identitiesOf(app.db, [created])
      return presentUserAccount(app.config, created, identities.get(created.id) ?? [], user)
    },
  }),
]
