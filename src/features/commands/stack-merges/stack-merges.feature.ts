/** Jobs of stacks that are merged as a whole, for the table of contents. */
import { feature } from '../../feature.ts'
import { followBelowJob, mergeStackedJob } from './stack-merges.jobs.ts'

export const stackMergesFeature = feature({ jobs: [mergeStackedJob, followBelowJob] })
