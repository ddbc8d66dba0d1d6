/** Jobs of list counts, for the table of contents. */
import { feature } from '../feature.ts'
import { listCountJobs } from './list-counts.jobs.ts'

export const listCountsFeature = feature({ jobs: listCountJobs })
