/** The health of the repository storage: what others may use of it. */
export { watchStorage } from './storage-health.service.ts'
