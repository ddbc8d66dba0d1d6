/** Jobs of mergeability, for the table of contents. */
import { feature } from '../../feature.ts'
import { refreshMergeabilityJob } from './mergeability.jobs.ts'

export const mergeabilityFeature = feature({ jobs: [refreshMergeabilityJob] })
