/** Access levels, visibility and scopes, by their names in the spec (2.2, 2.18, part 5). */
import type { User, Visibility } from '../db/tables.ts'

export const accessLevels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

export type Role = keyof typeof accessLevels

/** Whether someone with this access level is a member, in any role. */
export function isMember(level: number): boolean {
  return level >= accessLevels.guest
}

export const memberLevels = Object.values(accessLevels)

const roleNames: Record<number, string> = {
  0: 'None',
  [accessLevels.guest]: 'Guest',
  [accessLevels.reporter]: 'Reporter',
  [accessLevels.developer]: 'Developer',
  [accessLevels.maintainer]: 'Maintainer',
  [accessLevels.owner]: 'Owner',
}

/** The display name of the role of a level. */
export const roleOf = (level: number): string => roleNames[level] ?? String(level)

export const visibilities = ['private', 'internal', 'public'] as const

/** The viewer; null if anonymous. */
export type Looking = Pick<User, 'id' | 'admin' | 'external'> | null

/** The visibility levels that the viewer can see without being a member. */
export function openTo(viewer: Looking): Visibility[] {
  if (viewer?.admin) return ['public', 'internal', 'private']
  return viewer && !viewer.external ? ['public', 'internal'] : ['public']
}

/** Whether the viewer can see it without being a member. */
export function isOpenTo(visibility: Visibility, viewer: Looking): boolean {
  return openTo(viewer).includes(visibility)
}

/**
 * Scopes of access tokens. `api` allows everything but sudo, `read_api` all reads of the API. The repository scopes are for git only. The
 * registry scopes allow nothing, as there is no registry; clients send them together with others.
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

/** OpenID Connect releases these parts of a user's identity to an application. Access tokens never have these scopes. */
export const identityScopes = ['openid', 'profile', 'email'] as const

/** Scopes that an OAuth application may request. */
export const applicationScopes = ['api', 'read_user', 'read_repository', 'write_repository', 'read_api', 'sudo', ...identityScopes] as const

export type ApplicationScope = (typeof applicationScopes)[number]

/** A scope of an access token. */
export type TokenScope = (typeof scopes)[number]

export type Scope = TokenScope | ApplicationScope
