/** A row of `users` as its three views. */
import type { Static } from 'typebox'
import { pageUrl } from '../../../addresses/links.ts'
import { userAddress } from '../../../addresses/places.ts'
import type { Config } from '../../../config.ts'
import type { User, UserState } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { CustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { userAvatarUrl } from '../../storage/avatars/avatars.ts'
import type { Identity } from '../identities/identities.ts'
import type { UserAccount, UserAny, UserBrief } from './users.schema.ts'

/** The fields of the full form that aren't in the row. */
export interface Belongings {
  identities: Identity[]
  /** Projects in the personal namespace. */
  project_count: number
}

/** The columns of a user that the summary form needs. */
export type UserInBrief = Pick<User, 'id' | 'name' | 'username' | 'state' | 'kind' | 'avatar_name'>

export function presentUserBrief(config: Config, user: UserInBrief): Static<typeof UserBrief> {
  const { id, name, username } = user
  return {
    id,
    name,
    username,
    state: stateOf(user),
    avatar_url: userAvatarUrl(config, user),
    web_url: pageUrl(config, userAddress(username)),
  }
}

/** The Ghost User is blocked so that nobody signs in as them, and shown as active: nobody has blocked them. */
export function stateOf({ state, kind }: Pick<User, 'state' | 'kind'>): UserState {
  return kind === 'ghost' ? 'active' : state
}

/** The profile that every signed-in user sees. If it is private, only the user and administrators see when the account was created. */
export function presentUserProfile(config: Config, user: User, viewer: User | null): Presented<typeof UserAny> {
  const hidden = user.private_profile && viewer?.id !== user.id
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    state: stateOf(user),
    avatar_url: userAvatarUrl(config, user),
    web_url: pageUrl(config, userAddress(user.username)),
    created_at: hidden ? undefined : user.created_at,
    bot: user.kind === 'bot' || user.kind === 'service_account',
    bio: user.bio,
    location: user.location,
    skype: user.skype,
    linkedin: user.linkedin,
    twitter: user.twitter,
    website_url: user.website_url,
    organization: organizationOf(user),
    public_email: user.public_email,
    job_title: user.job_title,
    pronouns: user.pronouns,
    work_information: workOf(user),
  }
}

/** Always a string, unlike the biography and the location (spec 2.1). */
function organizationOf({ organization }: User): string {
  return organization ?? ''
}

function workOf({ job_title, organization }: User): string | null {
  if (!job_title) return organization || null
  return organization ? `${job_title} at ${organization}` : job_title
}

/** The account as the user and administrators see it; only administrators see who is an administrator. */
export function presentUserAccount(
  config: Config,
  user: User,
  { identities, project_count }: Belongings,
  viewer: Pick<User, 'admin'>,
  custom_attributes?: Static<typeof CustomAttributes>,
): Presented<typeof UserAccount> {
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    state: stateOf(user),
    avatar_url: userAvatarUrl(config, user),
    web_url: pageUrl(config, userAddress(user.username)),
    created_at: user.created_at,
    bot: user.kind === 'bot' || user.kind === 'service_account',
    bio: user.bio,
    location: user.location,
    skype: user.skype,
    linkedin: user.linkedin,
    twitter: user.twitter,
    website_url: user.website_url,
    organization: organizationOf(user),
    public_email: user.public_email,
    job_title: user.job_title,
    pronouns: user.pronouns,
    work_information: workOf(user),
    last_sign_in_at: user.last_sign_in_at,
    confirmed_at: user.confirmed_at,
    last_activity_on: user.last_activity_on,
    email: user.email,
    theme_id: user.theme_id,
    color_scheme_id: user.color_scheme_id,
    projects_limit: user.projects_limit,
    current_sign_in_at: user.current_sign_in_at,
    identities,
    can_create_group: user.can_create_group,
    can_create_project: user.projects_limit > project_count,
    two_factor_enabled: user.two_factor_enabled,
    external: user.external,
    private_profile: user.private_profile,
    is_admin: viewer.admin ? user.admin : undefined,
    custom_attributes,
  }
}
