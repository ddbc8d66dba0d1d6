/** The health of the repository storage: what others may use of it. */
export { removeFailures, storageFailures } from './storage-health.queries.ts'
export { watchStorage } from './storage-health.service.ts'
