/** Jobs of downstream, for the table of contents. */
import { feature } from '../../feature.ts'
import { downstreamJobs } from './downstream.jobs.ts'

export const downstreamFeature = feature({ jobs: downstreamJobs })
