/** Principals: who acts, whether over the API, git, Git LFS, SSH, a page or a feed. */
import type { CiRunner, DeployToken, SshKey, User } from '../db/tables.ts'
import type { TokenJob } from './job-tokens.ts'
import type { Scope } from './levels.ts'
import type { FoundOAuthToken } from './oauth-tokens.ts'

/** Without credentials. */
export interface Anonymous {
  kind: 'anonymous'
}

/** A user who has signed in with a session, a password or an SSH key. */
export interface Person {
  kind: 'person'
  user: User
  scopes: readonly Scope[]
  /** The administrator who acts as the user in an impersonation session. */
  impersonator?: Pick<User, 'id' | 'username'>
}

/** The holder of an access token of a person, or of the bot of a project or group (`user.kind`). */
export interface TokenHolder {
  kind: 'token'
  user: User
  scopes: readonly Scope[]
  token_id: number
}

type OAuthToken = Pick<FoundOAuthToken, 'token_id' | 'grant_id' | 'application_id' | 'created_at' | 'expires_at'>

/** A user through an application that they have authorized, with the scopes they granted. */
export interface OAuthHolder {
  kind: 'oauth'
  user: User
  scopes: readonly Scope[]
  token: OAuthToken
}

/** An application that acts for itself: it can only look up its own token. */
export interface ApplicationHolder {
  kind: 'application'
  scopes: readonly Scope[]
  token: OAuthToken
}

/** An administrator who acts as another user, with the scopes of the administrator's own token. */
export interface Sudo {
  kind: 'sudo'
  user: User
  scopes: readonly Scope[]
  sudoer: User
}

/** The user of a feed token: may read feeds, and nothing else. */
export interface FeedReader {
  kind: 'feed'
  user: User
}

/** A running job as the user who started it, where its token is accepted (`reachesProject`). */
export interface RunningJob {
  kind: 'job'
  user: User
  job: TokenJob
}

/** A deploy key and its creator, who is null once deleted. */
export interface DeployKeyHolder {
  kind: 'deploy-key'
  key: SshKey
  maker: User | null
}

export interface DeployTokenHolder {
  kind: 'deploy-token'
  token: DeployToken
}

/** A runner with its token: requests jobs and reports on itself. */
export interface RunnerHolder {
  kind: 'runner'
  runner: CiRunner
}

/** The scope of a registration token: runners that register with it serve this part of the instance. */
export type RegistersFor = { kind: 'instance' } | { kind: 'project' | 'group'; id: number }

/** The holder of a registration token: may register runners for what it belongs to, and nothing else. */
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

/** The principals of git over HTTP and SSH, and of Git LFS. */
export type GitPrincipal = Anonymous | Person | TokenHolder | OAuthHolder | RunningJob | DeployKeyHolder | DeployTokenHolder

export const anonymous: Anonymous = { kind: 'anonymous' }

/** The principal that an SSH key authenticates. */
export function principalOfKey({ key, user }: { key: SshKey; user: User | null }): Person | DeployKeyHolder {
  if (key.kind === 'user' && user) return { kind: 'person', user, scopes: ['api', 'read_repository'] }
  return { kind: 'deploy-key', key, maker: user }
}

/** The user whose rights the principal has; null for anonymous callers, and for machines with rights of their own. */
export function userOf(principal: Principal): User | null {
  return 'user' in principal ? principal.user : null
}

/** The scopes of the credential; null if it isn't limited by scopes. */
export function scopesOf(principal: Principal): readonly Scope[] {
  if (principal.kind === 'job') return ['api']
  return 'scopes' in principal ? principal.scopes : []
}
