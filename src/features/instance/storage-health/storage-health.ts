/** The health of the repository storage: what other features may use. */
export { removeFailures, storageFailures } from './storage-health.queries.ts'
export { watchStorage } from './storage-health.service.ts'
