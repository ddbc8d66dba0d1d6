/** Changes of jobs and pipelines: every change of their status goes through here. The pipeline's row is locked before all others. */
export { advancePipeline } from './advance.service.ts'
export {
  cancelJob,
  cancelOutdated,
  cancelPipeline,
  isRetryable,
  playJob,
  rejectJob,
  retryJob,
  retryPipeline,
  runBridge,
} from './asking.service.ts'
export { hasCompleted, hasEnded } from './composite.ts'
export { type FoundJob, findJob, insertJobs, insertStatuses, lockPipeline, lockPipelineOf, updateJob } from './processing.queries.ts'
export { type EndedJob, endJob, type JobEnd, type TakenJob, type Taker, takeJob } from './taking.service.ts'
