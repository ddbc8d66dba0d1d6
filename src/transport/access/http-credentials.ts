/** Authenticates requests to repository URLs: by name and password, by a token, or as anonymous. */
import type { FastifyRequest } from 'fastify'
import { findJobToken } from '../../access/job-tokens.ts'
import { countWrongToken } from '../../access/passwords/rate-limit.ts'
import { anonymous, type DeployTokenHolder, type GitPrincipal, type RunningJob, userOf } from '../../access/principals.ts'
import { mayAct } from '../../access/states.ts'
import { kindOfToken } from '../../access/tokens.ts'
import { signIn } from '../../access/users.ts'
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import { readSettings } from '../../features/instance/settings/settings.ts'
import { passwordElsewhere } from '../../features/people/provider-sign-in/provider-sign-in.ts'
import { recordFailure, recordGitPassword } from '../../features/people/sessions/sessions.ts'
import { findDeployToken, usernameOf } from '../../features/repository/deploy-tokens/deploy-tokens.ts'
import { addressOf } from '../../http/caller/address.ts'
import { throttled } from '../../http/limits/throttle.ts'
import { accessDenied } from './refusals.ts'

/** Throws 401 for wrong credentials, and for passwords if only tokens are accepted; 429 for too many requests. */
export function authenticateGit(app: App, request: FastifyRequest): Promise<GitPrincipal> {
  const authenticate = () => authenticateBySecret(app, request)
  return throttled(app, { request, reply: null, on: 'web', authenticate, userOf })
}

async function authenticateBySecret(app: App, request: FastifyRequest): Promise<GitPrincipal> {
  const sent = credentialsOf(request)
  if (!sent) return anonymous
  if (kindOfToken(sent.secret) === 'deploy') return deployTokenHolder(app, request, sent)
  // A client may also send this name with a user's token.
  if (kindOfToken(sent.secret) === 'job') return runningJob(app, request, sent)
  const beforePassword = () => assertPasswordsAllowed(app)
  const options = { address: addressOf(request), beforePassword, elsewhere: passwordElsewhere(app) }
  const principal = await signIn(app.db, sent.login, sent.secret, options)
  if (!principal) {
    // A machine with an old token is not a failed sign-in.
    if (kindOfToken(sent.secret) === null) await recordFailure(app, { login: sent.login, address: options.address, by: 'git' })
    throw accessDenied()
  }
  request.actor = principal.user.username
  if (principal.kind === 'person' && mayAct(principal.user)) await recordGitPassword(app, principal.user, options.address)
  return principal
}

/** Throws 401 for a wrong token, and 429 if its network has sent too many wrong ones; a correct one is accepted even then. */
async function deployTokenHolder(app: App, request: FastifyRequest, { login, secret }: Credentials): Promise<DeployTokenHolder> {
  const token = await findDeployToken(app.db, login, secret)
  if (!token) {
    await countWrongToken(app.db, addressOf(request))
    throw accessDenied()
  }
  request.actor = usernameOf(token)
  return { kind: 'deploy-token', token }
}

/** The username for a job token. */
const jobLogin = 'gitlab-ci-token'

/** As `deployTokenHolder`, for the token of a running job. */
async function runningJob(app: App, request: FastifyRequest, { login, secret }: Credentials): Promise<RunningJob> {
  const found = login === jobLogin ? await findJobToken(app.db, secret) : null
  if (!found) {
    await countWrongToken(app.db, addressOf(request))
    throw accessDenied()
  }
  request.actor = found.user.username
  return { kind: 'job', job: found.job, user: found.user }
}

async function assertPasswordsAllowed(app: App): Promise<void> {
  if ((await readSettings(app.db)).password_authentication_enabled_for_git) return
  const words = 'HTTP Basic: Access denied\nPasswords are not taken here: use a personal access token in the place of yours.'
  throw new Failure('unauthorized', words)
}

interface Credentials {
  login: string
  secret: string
}

/** Null if none were sent. Throws 401 for malformed ones, which must not be treated as anonymous. */
export function credentialsOf(request: FastifyRequest): Credentials | null {
  const { authorization } = request.headers
  if (authorization === undefined) return null
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return { login: '', secret: value }
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0')) throw accessDenied()
  return { login: text.slice(0, colon), secret: text.slice(colon + 1) }
}
