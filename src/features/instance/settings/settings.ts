/** Settings: what others may use of them. */
export { domainError } from './domains.ts'
export { isExternalByDefault } from './external-users.ts'
export { digestOfTerms, pollHeaders, readSettings, type Settings, termsAccepted } from './settings.service.ts'
export { acceptTerms } from './terms.service.ts'
export { watchThrottles } from './throttles.service.ts'
export { restrictedVisibilityError } from './visibility.ts'
