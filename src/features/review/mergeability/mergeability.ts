/** Whether merge requests can be merged: what other features may use. */
export { refreshMergeabilityJob } from './mergeability.jobs.ts'
export { isActive, type Mergeability, type MergeRules, mergeabilityOf, pipelineOf } from './mergeability.service.ts'
export { type DetailedStatus, detailedOf, type Obstacle, obstacleWords } from './obstacles.ts'
