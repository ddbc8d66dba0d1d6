/** Pipelines, jobs and traces as pages show them: the public exports. */
export type { PlannedJob } from '../../../ci/plan.ts'
export {
  failedJobsOf,
  findJobShown,
  jobsOfPipeline,
  listJobs,
  runnerOf,
  type ShownJob,
  type StageTally,
  stagesOf,
  statusesOfJobs,
} from './jobs.queries.ts'
export { newestDeploymentsOf } from './newest-deployments.queries.ts'
export { jobOfId, jobReaders, mayRunPipelines, pipelineOfId } from './overviews.access.ts'
export {
  downstreamOf,
  findPipelineShown,
  type LinkedPipeline,
  listPipelines,
  type PipelineFilter,
  type ShownPipeline,
  upstreamOf,
} from './pipelines.queries.ts'
export { readTraceEnd, readTraceFrom, type TracePart } from './traces.service.ts'
