/** Jobs of merging, for the table of contents. */
import { feature } from '../../feature.ts'
import { followPushJob } from './merging.jobs.ts'
import { removeSourceJob } from './removal.jobs.ts'
import { restackJob } from './restack.jobs.ts'
import { mergeWaitingJob } from './waiting.jobs.ts'

export const mergingFeature = feature({ jobs: [followPushJob, removeSourceJob, restackJob, mergeWaitingJob] })
