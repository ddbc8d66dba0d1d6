/** Users as others see them (spec 2.1): in brief, alone, and for administrators. */
import { Type } from 'typebox'
import { text as atMost, Day, File, Instant, nullable, resource } from '../../../http/parameters/schema.ts'
import { CustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'

const text = Type.String()

export const UserBrief = resource('UserBrief', {
  id: Type.Integer(),
  name: text,
  username: text,
  state: text,
  avatar_url: text,
  web_url: text,
})

/** Additional fields of a single user. */
const profile = {
  created_at: Instant,
  bot: Type.Boolean({ description: 'Whether it is the user of a project or group access token' }),
  bio: nullable(text),
  location: nullable(text),
  skype: text,
  linkedin: text,
  twitter: text,
  website_url: text,
  organization: text,
  public_email: Type.String({ description: 'An address that the user shows to everybody, or empty' }),
  job_title: text,
  pronouns: text,
  work_information: nullable(Type.String({ description: 'The job title and the organization, as far as they are known' })),
}

/** Additional fields for the user and administrators. */
const account = {
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

/** Additional fields for administrators only. */
const forAdministrators = { is_admin: Type.Optional(Type.Boolean()), custom_attributes: Type.Optional(CustomAttributes) }

/** The full form; the presenter leaves out what a caller may not see. */
export const UserAny = resource('User', {
  ...UserBrief.properties,
  ...Type.Partial(Type.Object({ ...profile, ...account })).properties,
  ...forAdministrators,
})

export const UserAccount = resource('UserAccount', { ...UserBrief.properties, ...profile, ...account, ...forAdministrators })

/** A secondary address of a user. */
export const Email = resource('Email', { id: Type.Integer(), email: text })

/** When a user was last active; both days are the same. */
export const UserActivity = resource('UserActivity', { username: text, last_activity_on: nullable(Day), last_activity_at: nullable(Day) })

const line = Type.Optional(atMost(255))
const clearable = Type.Optional(nullable(atMost(255)))

/** Fields that administrators can set when they create or change a user. */
export const settingsOfUser = {
  password: Type.Optional(text),
  skype: line,
  linkedin: line,
  twitter: line,
  website_url: line,
  organization: clearable,
  public_email: Type.Optional(Type.String({ maxLength: 255, description: 'One of the confirmed addresses of the user, or empty' })),
  job_title: line,
  pronouns: line,
  projects_limit: Type.Optional(Type.Integer()),
  extern_uid: line,
  provider: line,
  bio: Type.Optional(nullable(text)),
  location: clearable,
  admin: Type.Optional(Type.Boolean()),
  can_create_group: Type.Optional(Type.Boolean()),
  external: Type.Optional(Type.Boolean()),
  avatar: Type.Optional(nullable(File)),
  private_profile: Type.Optional(Type.Boolean()),
}
