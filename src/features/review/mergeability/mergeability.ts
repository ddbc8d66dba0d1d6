/** Whether merge requests can be merged: what other features may use. */
export { type MergeResult, mergeRefOf, mergeResultOf } from './merge-ref.service.ts'
export { refreshMergeabilityJob } from './mergeability.jobs.ts'
export { headPipelineOf } from './mergeability.queries.ts'
export { isActive, type Mergeability, type MergeRules, mergeabilityOf } from './mergeability.service.ts'
export { type DetailedStatus, detailedOf, type Obstacle, obstacleWords } from './obstacles.ts'
