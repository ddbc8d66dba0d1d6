/** Status checks of projects: what pages may use of them. */
export { urlOf } from './status-checks.present.ts'
export { changeCheck, checkOf, createCheck, retryCheck } from './status-checks.service.ts'
