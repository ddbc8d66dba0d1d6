/** Access levels, visibility and scopes, as the spec names them (2.2, 2.18, part 5). */

export const accessLevels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

export type Role = keyof typeof accessLevels

export const memberLevels = Object.values(accessLevels)

export const visibilities = ['private', 'internal', 'public'] as const

/** Scopes of tokens. `read_repository` is for git only. */
export const scopes = ['api', 'read_user', 'read_repository', 'sudo'] as const

export type Scope = (typeof scopes)[number]
