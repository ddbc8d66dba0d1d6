/** Statuses of commits: what other features may use of them. */
export { type AuthoredStatus, listStatuses } from './statuses.queries.ts'
export { postStatus } from './statuses.service.ts'
