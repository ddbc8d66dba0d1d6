/** Jobs: what other features may use of them. */
export { jobChanged, jobErased, mayErase } from './jobs.access.ts'
export { presentBridges, presentJobs, type Reader } from './jobs.present.ts'
export { findShownJob, type JobFilter, listJobs, type ShownJob } from './jobs.queries.ts'
export { cancelIfLive, erase as eraseJob, play as playWaitingJob, retryIfEnded, statusesIn } from './jobs.service.ts'
