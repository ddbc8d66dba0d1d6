/** Access rules: how a handler obtains what it works on. What a rule doesn't grant, a handler doesn't have. */
import { canDownload, findGroup, findProject, type LocatedGroup, type LocatedProject } from '../access/find.ts'
import { accessLevels, type Role } from '../access/levels.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { forbidden, unauthorized } from '../failure.ts'
import type { Repo } from '../git/repository/repository.ts'
import type { Caller } from './authenticate.ts'

export interface Granted {
  user: User | null
}

export interface Access<G extends Granted> {
  /** For the documentation: who may call. */
  description: string
  /** Whether anybody may ask, for public things. Writes never are. */
  anonymous: boolean
  grant: (app: App, caller: Caller, params: Record<string, string>) => Promise<G>
}

/** Everybody, signed in or not. */
export function anyone(): Access<{ user: User | null }> {
  return { description: 'Anybody.', anonymous: true, grant: async (_, { user }) => ({ user }) }
}

export function signedIn(): Access<{ user: User }> {
  return { description: 'Any signed-in user.', anonymous: false, grant: async (_, caller) => ({ user: required(caller) }) }
}

export function administrator(): Access<{ user: User }> {
  return administratorOf(signedIn())
}

/**
 * As the rule, for administrators alone. They can see everything. Of others, who can’t see the thing learns nothing of it, and
 * who can is refused.
 */
export function administratorOf<G extends Granted>(inner: Access<G>): Access<G & { user: User }> {
  return {
    description: 'Administrators only.',
    anonymous: false,
    async grant(app, caller, params) {
      const granted = await inner.grant(app, caller, params)
      const user = required(caller)
      if (!user.admin) throw forbidden()
      return { ...granted, user }
    },
  }
}

export interface ProjectGranted extends Granted {
  project: LocatedProject
  /** The caller's access level in the project. */
  level: number
  repo: Repo
}

interface SignedIn {
  user: User
}

/** `visible`: who can see the project. `code`: who may read its repository. A role: who has at least that one. */
export function project(needed: 'visible' | 'code'): Access<ProjectGranted>
export function project(needed: Role | 'signed-in'): Access<ProjectGranted & SignedIn>
export function project(needed: 'visible' | 'code' | 'signed-in' | Role): Access<ProjectGranted & SignedIn> {
  const open = needed === 'visible' || needed === 'code'
  return {
    description: describe(needed, 'project'),
    anonymous: open,
    async grant(app, caller, params) {
      if (!open) required(caller)
      const access = await findProject(app.db, params.id as string, caller.user)
      if (needed === 'code' && !canDownload(access, caller.user)) throw forbidden()
      requireLevel(needed, access.level)
      return { user: caller.user as User, project: access.project, level: access.level, repo: app.git.open(access.project.id) }
    },
  }
}

/** As `project`, but in an archived project for nobody: it is there to be read. */
export function unarchivedProject(needed: Role | 'signed-in'): Access<ProjectGranted & SignedIn> {
  const inner = project(needed)
  return {
    ...inner,
    description: `${inner.description} Nobody, once the project is archived.`,
    async grant(app, caller, params) {
      const granted = await inner.grant(app, caller, params)
      if (granted.project.archived) throw forbidden()
      return granted
    },
  }
}

export interface GroupGranted extends Granted {
  group: LocatedGroup
  level: number
}

/** As `project`, for the group in `:id`. */
export function group(needed: 'visible'): Access<GroupGranted>
export function group(needed: Role | 'signed-in'): Access<GroupGranted & SignedIn>
export function group(needed: 'visible' | 'signed-in' | Role): Access<GroupGranted & SignedIn> {
  const open = needed === 'visible'
  return {
    description: describe(needed, 'group'),
    anonymous: open,
    async grant(app, caller, params) {
      if (!open) required(caller)
      const access = await findGroup(app.db, params.id as string, caller.user)
      requireLevel(needed, access.level)
      return { user: caller.user as User, group: access.group, level: access.level }
    },
  }
}

function required(caller: Caller): User {
  if (!caller.user) throw unauthorized()
  return caller.user
}

function requireLevel(needed: 'visible' | 'code' | 'signed-in' | Role, level: number): void {
  if (needed in accessLevels && level < accessLevels[needed as Role]) throw forbidden()
}

function describe(needed: string, noun: string): string {
  if (needed === 'visible') return `Who can see the ${noun}; anybody when it is public.`
  if (needed === 'code') return 'Who may read the code: Reporters, and whoever can see a project that is not private.'
  if (needed === 'signed-in') return `Any signed-in user who can see the ${noun}.`
  return `At least ${needed} of the ${noun}.`
}
