/** Access rules, which grant handlers what they work on: a handler has no other access to it. */
import type { IncomingHttpHeaders } from 'node:http'
import type { TProperties } from 'typebox'
import { mayUse, type ProjectFeature } from '../../access/features.ts'
import { canDownload, findGroup, findProject, type LocatedGroup, type ProjectAccess } from '../../access/find.ts'
import { reachesProject } from '../../access/job-tokens.ts'
import type { Scope } from '../../access/levels.ts'
import { may, type Permission, permissions } from '../../access/permissions.ts'
import { type Principal, scopesOf, userOf } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { type FailureCode, forbidden, unauthorized } from '../../failure.ts'
import { showingMergeRequests } from '../../git/repository/handles.ts'
import type { Repo } from '../../git/repository/repository.ts'
import type { Parameters } from '../parameters/parameters.ts'

export interface Granted {
  user: User | null
}

export interface SignedIn {
  user: User
}

/** The input of access rules. */
export interface AccessRequest {
  app: App
  principal: Principal
  /** Path parameters, as sent. */
  params: Record<string, string>
  /** For rules that read a credential of their own (`own_credential`); absent for pages. */
  sent?: { headers: IncomingHttpHeaders; query: Parameters }
  /** Opens the repository of a project; its git commands count as this caller's and are killed when the client leaves. */
  openRepo: (projectId: number) => Repo
  /** Opens the repository of a wiki. */
  openWiki: (wikiId: number) => Repo
}

export interface Access<G extends Granted> {
  /** For the documentation: who may call. */
  description: string
  /** The description if the rule is limited to signed-in users (`authenticated`). */
  signedInDescription: string
  /** Whether callers without a token may read. Writing always requires one. */
  anonymous: boolean
  /**
   * The credential of a machine: such requests need no user, not even to write. For a runner or registrar, the parameter `token` determines
   * the caller; `checked` means a job or trigger token that the rule or the handler checks.
   */
  own_credential?: 'runner' | 'registrar' | 'checked'
  /** Schemas of the path parameters that the rule reads itself (`within`), if they aren't plain text. */
  params: TProperties
  /** Failures of working with what is granted, besides 401, 403 and 404. */
  fails: readonly FailureCode[]
  grant: (request: AccessRequest) => Promise<G>
}

/** Everyone, signed in or not. */
export function anyone(): Access<Granted> {
  return {
    description: 'Anybody.',
    signedInDescription: 'Any signed-in user.',
    anonymous: true,
    params: {},
    fails: [],
    grant: async ({ principal }) => ({ user: userOf(principal) }),
  }
}

export function signedIn(): Access<SignedIn> {
  return authenticated(anyone())
}

/** A signed-in user in a project, in the form that services take. */
export interface Acting extends SignedIn {
  actor: ProjectAccess & SignedIn
}

/** The grants of a rule once the caller is known to be signed in. */
type SignedInTo<G extends Granted> = G & (G extends ProjectGranted ? Acting : SignedIn)

/** The rule, for signed-in users. */
export function authenticated<G extends Granted>(rule: Access<G>): Access<SignedInTo<G>> {
  return {
    ...rule,
    description: rule.signedInDescription,
    anonymous: false,
    async grant(request) {
      const user = userOf(request.principal)
      if (!user) throw unauthorized()
      const granted = await rule.grant(request)
      // A job whose token isn't accepted here.
      if (!granted.user) throw forbidden()
      const access = 'access' in granted ? (granted.access as ProjectAccess) : null
      return { ...granted, user, ...(access && { actor: { ...access, user } }) } as SignedInTo<G>
    },
  }
}

export function administrator(): Access<SignedIn> {
  return administratorOf(signedIn())
}

/** The rule, for administrators. Others get 404 for what they can't see, 403 for what they can. */
export function administratorOf<G extends Granted>(rule: Access<G>): Access<SignedInTo<G>> {
  const description = 'Administrators only.'
  return { ...only(authenticated(rule), administrators), description, signedInDescription: description }
}

/** A condition that restricts a rule to some of its callers. */
export interface Condition<G extends Granted> {
  /** For the documentation: who meets it, as a part of a sentence. */
  description: string
  holds: (granted: G, circumstances: Circumstances) => boolean | Promise<boolean>
  /** 403 by default, or 401 for anonymous callers. */
  refusal?: () => Error
}

export interface Circumstances {
  app: App
  params: Record<string, unknown>
  /** Value of the parameter that the condition is about, if any (`reserved` of an endpoint). */
  value?: unknown
}

/** The rule, for callers who meet at least one of the conditions. */
export function only<G extends Granted>(rule: Access<G>, ...conditions: Array<Condition<G>>): Access<G> {
  const limit = `Only ${conditions.map(({ description }) => description).join(', or ')}.`
  return {
    ...rule,
    description: `${rule.description} ${limit}`,
    signedInDescription: `${rule.signedInDescription} ${limit}`,
    async grant(request) {
      const granted = await rule.grant(request)
      await assertMeetsOne(conditions, granted, request)
      return granted
    },
  }
}

/** Throws the refusal of the last condition if none holds. */
export async function assertMeetsOne<G extends Granted>(
  conditions: ReadonlyArray<Condition<G>>,
  granted: G,
  at: Circumstances,
): Promise<void> {
  for (const { holds } of conditions) if (await holds(granted, at)) return
  throw conditions.at(-1)?.refusal?.() ?? (granted.user ? forbidden() : unauthorized())
}

export const administrators: Condition<Granted> = { description: 'administrators', holds: ({ user }) => user?.admin === true }

/** Excludes the bot users of projects and groups: what they create must not outlive their token. */
export const people: Condition<SignedIn> = { description: 'people, not bot users', holds: ({ user }) => user.kind === 'human' }

export const bots: Condition<SignedIn> = { description: 'bot users', holds: ({ user }) => user.kind === 'bot' }

/** The user whose id is this path parameter. */
export function self(parameter: string): Condition<SignedIn> {
  return { description: 'the user concerned', holds: ({ user }, { params }) => Number(params[parameter]) === user.id }
}

/** Members whose role has the permission. */
export function allowed(to: Permission): Condition<Granted & { level: number }> {
  return { description: `members with at least the role ${permissions[to]}`, holds: ({ level }) => may(to, level) }
}

/** The credential with which a request was authenticated. */
export interface Credential {
  scopes: readonly Scope[]
  /** Null if it isn't a token of the user's own, but a session or sudo. */
  token_id: number | null
  /** Whether an application acts for the user. */
  is_delegated?: boolean
}

/** The rule, also granting the credential of the request. */
export function withCredential<G extends Granted>(rule: Access<G>): Access<G & { credential: Credential }> {
  return {
    ...rule,
    async grant(request) {
      const { principal } = request
      const token_id = principal.kind === 'token' ? principal.token_id : null
      return {
        ...(await rule.grant(request)),
        credential: { scopes: scopesOf(principal), token_id, is_delegated: principal.kind === 'oauth' },
      }
    },
  }
}

/** `visible`: everyone who can see it. `signed-in`: those of them who are signed in. A permission: members whose role has it. */
export type Needed = 'visible' | 'signed-in' | Permission

export interface ProjectGranted extends Granted, ProjectAccess {
  /** The project and level in one value, as checks take it. */
  access: ProjectAccess
  repo: Repo
}

/**
 * Grants the project in `:id`; `code` requires that the caller may read its repository. Callers who can't see the project get 404, all
 * others 403.
 */
export function project(needed: 'visible' | 'code'): Access<ProjectGranted>
export function project(needed: Needed): Access<ProjectGranted & Acting>
export function project(needed: Needed | 'code'): Access<ProjectGranted> {
  const open: Access<ProjectGranted> = {
    ...describe(needed, 'project'),
    anonymous: true,
    params: {},
    // Git reads at most what its limits allow.
    fails: needed === 'code' ? ['too_large', 'unprocessable'] : [],
    async grant({ app, principal, params, openRepo }) {
      const { project, level, user } = await findReachable(app, params.id as string, principal)
      const access = { project, level }
      if (needed === 'code' && !canDownload(access, user)) throw forbidden()
      requireLevel(needed, level)
      const repo = showingMergeRequests(openRepo(project.id), mayUse('merge_requests', access))
      return { user, project, level, access, repo }
    },
  }
  return needed === 'visible' || needed === 'code' ? open : authenticated(open)
}

/** Finds the project. In projects that don't accept its token, a job counts as anonymous and can see public ones. */
async function findReachable(app: App, id: string, principal: Principal): Promise<ProjectAccess & Granted> {
  const user = userOf(principal)
  const found = await findProject(app.db, id, user)
  if (principal.kind !== 'job' || (await reachesProject(app.db, principal.job, found.project))) return { ...found, user }
  return { ...(await findProject(app.db, String(found.project.id), null)), user: null }
}

/** The rule, denied if the project is archived, since an archived project is read-only for everyone. */
export function unarchived<G extends ProjectGranted>(rule: Access<G>): Access<G> {
  return only(rule, { description: 'while the project is not archived', holds: ({ project }) => !project.archived })
}

/** The rule, for callers to whom the feature of the project is available. */
export function using<G extends ProjectGranted>(feature: ProjectFeature, rule: Access<G>): Access<G> {
  const description = `those for whom its ${feature.replace('_', ' ')} feature is enabled`
  return only(rule, { description, holds: (granted) => mayUse(feature, granted) })
}

export interface GroupGranted extends Granted {
  group: LocatedGroup
  level: number
}

/** As `project`, for the group in `:id`. */
export function group(needed: 'visible'): Access<GroupGranted>
export function group(needed: Needed): Access<GroupGranted & SignedIn>
export function group(needed: Needed): Access<GroupGranted> {
  const open: Access<GroupGranted> = {
    ...describe(needed, 'group'),
    anonymous: true,
    params: {},
    fails: [],
    async grant({ app, principal, params }) {
      // Job tokens are for projects only.
      const user = principal.kind === 'job' ? null : userOf(principal)
      const { group, level } = await findGroup(app.db, params.id as string, user)
      requireLevel(needed, level)
      return { user, group, level }
    },
  }
  return needed === 'visible' ? open : authenticated(open)
}

function requireLevel(needed: Needed | 'code', level: number): void {
  if (isPermission(needed) && !may(needed, level)) throw forbidden()
}

function isPermission(needed: Needed | 'code'): needed is Permission {
  return Object.hasOwn(permissions, needed)
}

function describe(needed: Needed | 'code', kind: 'project' | 'group'): Pick<Access<Granted>, 'description' | 'signedInDescription'> {
  const readers = 'Reporters, and everybody who can see a project that is not private.'
  const viewers = `Any signed-in user who can see the ${kind}.`
  if (needed === 'visible') {
    return { description: `Whoever can see the ${kind}; anybody when it is public.`, signedInDescription: viewers }
  }
  if (needed === 'code') {
    return {
      description: `Whoever may read the code: ${readers}`,
      signedInDescription: `Signed-in users who may read the code: ${readers}`,
    }
  }
  const description = isPermission(needed) ? `At least ${permissions[needed]} of the ${kind}.` : viewers
  return { description, signedInDescription: description }
}
