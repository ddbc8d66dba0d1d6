/** Jobs of processing, for the table of contents. */
import { feature } from '../../feature.ts'
import { processingJobs } from './processing.jobs.ts'

export const processingFeature = feature({ jobs: processingJobs })
