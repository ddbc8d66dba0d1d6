/** Jobs of pushes, for the table of contents. */
import { feature } from '../../feature.ts'
import { describePushesJob, reconcilePushesJob } from './pushes.jobs.ts'

export const pushesFeature = feature({ jobs: [describePushesJob, reconcilePushesJob] })
