/** Mail about accounts: what others may use of it. */
export { requestLink } from './requests.service.ts'
