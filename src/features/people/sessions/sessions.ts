/** Sessions: what other features may use. */
export { browserOf } from './browsers.ts'
export { recordGitPassword } from './git-passwords.service.ts'
export { impersonationError, startImpersonation, stopImpersonation } from './impersonation.service.ts'
export { skipSecondFactor } from './sessions.queries.ts'
export {
  type ActiveSession,
  activeSessions,
  assertMayBegin,
  beginSession,
  beginSessionIn,
  endSession,
  newSecret,
  recordFailure,
  revokeSession,
  type SignInPlace,
} from './sessions.service.ts'
