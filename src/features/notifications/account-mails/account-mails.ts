/** Mail about accounts: what other features may use. */
export { requestLink } from './requests.service.ts'
