/** Access levels, visibility and scopes, as the spec names them (2.2, 2.18, part 5). */
import type { User, Visibility } from '../db/tables.ts'

export const accessLevels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

export type Role = keyof typeof accessLevels

/** Whether somebody with this access level is a member at all, of whatever role. */
export function isMember(level: number): boolean {
  return level >= accessLevels.guest
}

export const memberLevels = Object.values(accessLevels)

const roleNames: Record<number, string> = {
  [accessLevels.guest]: 'Guest',
  [accessLevels.reporter]: 'Reporter',
  [accessLevels.developer]: 'Developer',
  [accessLevels.maintainer]: 'Maintainer',
  [accessLevels.owner]: 'Owner',
}

/** The role of a level, as people read it. */
export const roleOf = (level: number): string => roleNames[level] ?? 'None'

export const visibilities = ['private', 'internal', 'public'] as const

/** Who looks; null where nobody signed in. */
export type Looking = Pick<User, 'id' | 'admin' | 'external'> | null

/** The visibilities that are open to them. */
export function openTo(viewer: Looking): Visibility[] {
  if (viewer?.admin) return ['public', 'internal', 'private']
  return viewer && !viewer.external ? ['public', 'internal'] : ['public']
}

/** Whether they can see it without being a member. */
export function isOpenTo(visibility: Visibility, viewer: Looking): boolean {
  return openTo(viewer).includes(visibility)
}

/**
 * Scopes of access tokens. `api` allows everything but sudo, `read_api` every read of the API. Those of the repository are for git
 * only. Those of the registry allow nothing, as there is none: clients send them together with others.
 */
export const scopes = [
  'api',
  'read_user',
  'read_repository',
  'write_repository',
  'read_api',
  'read_registry',
  'write_registry',
  'self_rotate',
  'sudo',
] as const

/** What an application may be told of its user by OpenID Connect. No access token has them. */
export const identityScopes = ['openid', 'profile', 'email'] as const

/** What an application may ask of its users (OAuth). */
export const applicationScopes = ['api', 'read_user', 'read_repository', 'write_repository', 'read_api', 'sudo', ...identityScopes] as const

export type ApplicationScope = (typeof applicationScopes)[number]

/** A scope of an access token. */
export type TokenScope = (typeof scopes)[number]

export type Scope = TokenScope | ApplicationScope
