/** Service accounts in their places: what pages may use of them. */
export { ofInstance, ofPlace, tokenInPath } from './service-accounts.access.ts'
