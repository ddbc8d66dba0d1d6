/** Access tokens in JSON, without the secret, which is shown only once. */
import { type Static, Type } from 'typebox'
import { Day, Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'

const token = {
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  revoked: Type.Boolean(),
  created_at: Instant,
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: nullable(Instant),
  active: Type.Boolean({ description: 'Whether the token is neither revoked nor expired' }),
  expires_at: nullable(Day),
}
/** `last_used_on` is the day of `last_used_at`, for clients of release 11.3. */
const ofPerson = { ...token, last_used_on: nullable(Day) }
const shownOnce = { token: Type.String({ description: 'Shown only once' }) }

export const PersonalAccessToken = resource('PersonalAccessToken', ofPerson)

/** The reply to creation and rotation. */
export const NewPersonalAccessToken = resource('NewPersonalAccessToken', { ...ofPerson, ...shownOnce })

/** Created by an administrator to act as the user. */
export const ImpersonationToken = resource('ImpersonationToken', {
  ...ofPerson,
  impersonation: Type.Boolean(),
  token: nullable(Type.String({ description: 'Shown only when it is created, later null: only a digest is stored' })),
})

const ofPlace = { ...token, access_level: Type.Integer({ description: 'Level of the bot user in the project or group' }) }

/** A token of a project or group. `user_id` is that of its bot user. */
export const ResourceAccessToken = resource('ResourceAccessToken', ofPlace)

export const NewResourceAccessToken = resource('NewResourceAccessToken', { ...ofPlace, ...shownOnce })

/** The filters of every list of tokens, except that of impersonation tokens. */
export const tokenFilters = {
  state: Type.Optional(oneOf('active', 'inactive')),
  revoked: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ description: 'Part of a name' })),
  created_after: Type.Optional(Instant),
  created_before: Type.Optional(Instant),
  expires_after: Type.Optional(Day),
  expires_before: Type.Optional(Day),
  last_used_after: Type.Optional(Instant),
  last_used_before: Type.Optional(Instant),
  sort: Type.Optional(
    oneOf('created_asc', 'created_desc', 'expires_asc', 'expires_desc', 'last_used_asc', 'last_used_desc', 'name_asc', 'name_desc'),
  ),
}

const filters = Type.Object(tokenFilters)

export type TokenFilters = Static<typeof filters>
