/** Service accounts: what others may use of them. */
export { listServiceAccounts, mayJoin, serviceAccountOf } from './service-accounts.queries.ts'
export { createServiceAccount, renameServiceAccount } from './service-accounts.service.ts'
