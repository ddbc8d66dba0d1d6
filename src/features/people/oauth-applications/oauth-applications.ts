/** Applications of OAuth 2.0: what other features may use. */
export { applicationById, applicationByUid, listApplications, uidOf } from './oauth-applications.queries.ts'
export {
  changeApplication,
  createApplication,
  createOwnApplication,
  mayCreateOwn,
  type NewApplication,
  redirectUrisOf,
  removeApplication,
  renewSecret,
  scopesOfApplication,
  type WantedApplication,
} from './oauth-applications.service.ts'
export { isRegistered } from './redirect-uris.ts'
