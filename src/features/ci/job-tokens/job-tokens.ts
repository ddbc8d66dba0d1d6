/** Tokens of jobs: what other features may use of them. */

export { runningJob, sentToken } from './job-tokens.access.ts'
export type { RunningJob } from './job-tokens.queries.ts'
export { requireRunningJob } from './job-tokens.service.ts'
