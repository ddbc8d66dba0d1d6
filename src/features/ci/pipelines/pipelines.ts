/** Pipelines: what other features may use of them. */
export { createPipeline } from './create.service.ts'
export {
  jobsRun,
  jobsSeen,
  mayRunOn,
  pipelineChanged,
  pipelineDeleted,
  pipelineInPath,
  runnableRefs,
} from './pipelines.access.ts'
export { presentPipeline, presentPipelineBasic } from './pipelines.present.ts'
export { findPipeline, insertPipelineRow, latestOf as latestPipelineOf, pipelinesByIds, starterOf } from './pipelines.queries.ts'
export {
  assertKeys,
  cancel as cancelPipeline,
  type FoundRef,
  findRefNamed,
  presentPipelineOfId,
  readInputs,
  refusal,
  removePipeline,
  retry as retryPipeline,
  runPipeline,
} from './pipelines.service.ts'
export { type CreatedPipeline, type GivenVariable, type PipelineInputs, type PipelineRequest, pipelinesOf } from './request.ts'
