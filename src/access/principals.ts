/** Who acts: one of the kinds that there are, whether they came by the API, git, Git LFS, SSH, a page or a feed. */
import type { CiRunner, DeployToken, SshKey, User } from '../db/tables.ts'
import type { TokenJob } from './job-tokens.ts'
import type { Scope } from './levels.ts'
import type { FoundOAuthToken } from './oauth-tokens.ts'

/** Without credentials. */
export interface Anonymous {
  kind: 'anonymous'
}

/** Who has signed in by a session, a password or an SSH key. */
export interface Person {
  kind: 'person'
  user: User
  scopes: readonly Scope[]
  /** The administrator who acts as the user, in a session of an impersonation. */
  impersonator?: Pick<User, 'id' | 'username'>
}

/** An access token of a person, or of the bot of a project or group (`user.kind`). */
export interface TokenHolder {
  kind: 'token'
  user: User
  scopes: readonly Scope[]
  token_id: number
}

type OAuthToken = Pick<FoundOAuthToken, 'token_id' | 'grant_id' | 'application_id' | 'created_at' | 'expires_at'>

/** A user through an application that they allowed to act for them, with the scopes they gave it. */
export interface OAuthHolder {
  kind: 'oauth'
  user: User
  scopes: readonly Scope[]
  token: OAuthToken
}

/** An application that acts for itself: it learns what its token is good for, and nothing else. */
export interface ApplicationHolder {
  kind: 'application'
  scopes: readonly Scope[]
  token: OAuthToken
}

/** An administrator who acts as another user: with the scopes of their own token, which is none of that user's. */
export interface Sudo {
  kind: 'sudo'
  user: User
  scopes: readonly Scope[]
  sudoer: User
}

/** The token in the address of a feed: it reads feeds as its user, and nothing else. */
export interface FeedReader {
  kind: 'feed'
  user: User
}

/** A running job, as the user who caused it, where its token counts (`reachesProject`). */
export interface RunningJob {
  kind: 'job'
  user: User
  job: TokenJob
}

/** A deploy key, and who created it: null where they were deleted. */
export interface DeployKeyHolder {
  kind: 'deploy-key'
  key: SshKey
  maker: User | null
}

export interface DeployTokenHolder {
  kind: 'deploy-token'
  token: DeployToken
}

/** A runner, by its token: it asks for jobs, and reports of itself. */
export interface RunnerHolder {
  kind: 'runner'
  runner: CiRunner
}

/** What a registration token registers runners for. */
export type RegistersFor = { kind: 'instance' } | { kind: 'project' | 'group'; id: number }

/** Whoever has a registration token: they register runners for what it is of, and nothing else. */
export interface Registrar {
  kind: 'registrar'
  registers: RegistersFor
}

export type Principal =
  | Anonymous
  | Person
  | TokenHolder
  | OAuthHolder
  | ApplicationHolder
  | Sudo
  | FeedReader
  | RunningJob
  | RunnerHolder
  | Registrar
  | DeployKeyHolder
  | DeployTokenHolder

/** Those that git over HTTP or SSH, and Git LFS, know. */
export type GitPrincipal = Anonymous | Person | TokenHolder | OAuthHolder | RunningJob | DeployKeyHolder | DeployTokenHolder

export const anonymous: Anonymous = { kind: 'anonymous' }

/** The principal that an SSH key stands for. */
export function principalOfKey({ key, user }: { key: SshKey; user: User | null }): Person | DeployKeyHolder {
  if (key.kind === 'user' && user) return { kind: 'person', user, scopes: ['api', 'read_repository'] }
  return { kind: 'deploy-key', key, maker: user }
}

/** The user whose rights they have; null for machines, which have rights of their own, and where nobody signed in. */
export function userOf(principal: Principal): User | null {
  return 'user' in principal ? principal.user : null
}

/** What their credential is for; none of a machine or of nobody is asked for. */
export function scopesOf(principal: Principal): readonly Scope[] {
  if (principal.kind === 'job') return ['api']
  return 'scopes' in principal ? principal.scopes : []
}
