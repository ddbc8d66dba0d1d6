/** Jobs of lfs, for the table of contents. */
import { feature } from '../../feature.ts'
import { lfsJobs } from './lfs.jobs.ts'

export const lfsFeature = feature({ jobs: lfsJobs })
