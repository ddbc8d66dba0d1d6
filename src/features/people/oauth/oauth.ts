/** OAuth 2.0: what other features may use. */
export {
  type AuthorizationRequest,
  allow,
  authorizationParameters,
  needsConsent,
  readAuthorization,
  refusalAddress,
  type SentAuthorization,
} from './authorize.service.ts'
export { decideDevice, findWaitingDevice, shownCode } from './device.service.ts'
export { endGrantsOf } from './grants.service.ts'
export { authorizedApplications } from './oauth.queries.ts'
export { signToken } from './signing-keys.service.ts'
