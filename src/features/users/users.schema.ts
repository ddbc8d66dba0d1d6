/** Users as others see them (spec 2.1): in brief, alone, and for administrators. */
import { Type } from 'typebox'
import { Day, Instant, nullable } from '../../http/schema.ts'

const text = Type.String()

export const UserBrief = Type.Object({
  id: Type.Integer(),
  name: text,
  username: text,
  state: text,
  avatar_url: nullable(text),
  web_url: text,
})

const profile = {
  ...UserBrief.properties,
  created_at: nullable(Instant),
  bio: nullable(text),
  location: nullable(text),
  skype: text,
  linkedin: text,
  twitter: text,
  website_url: text,
  organization: nullable(text),
}

const account = {
  ...profile,
  last_sign_in_at: nullable(Instant),
  confirmed_at: nullable(Instant),
  last_activity_on: nullable(Day),
  email: text,
  theme_id: Type.Integer(),
  color_scheme_id: Type.Integer(),
  projects_limit: Type.Integer(),
  current_sign_in_at: nullable(Instant),
  identities: Type.Array(Type.Object({ provider: text, extern_uid: text })),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
}

/** The whole form; what a caller may not see is left out by the presenter. */
export const UserAny = Type.Object({
  ...UserBrief.properties,
  ...Type.Partial(Type.Object({ ...account, is_admin: Type.Boolean() })).properties,
  ...UserBrief.properties,
})

export const UserAccount = Type.Object({ ...account, is_admin: Type.Optional(Type.Boolean()) })
