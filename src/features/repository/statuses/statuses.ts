/** Statuses of commits: what other features may use of them. */
export { lastPipelineOf } from './statuses.service.ts'
