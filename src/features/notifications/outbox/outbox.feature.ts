/** Background work of mail, for the table of contents. */
import { feature } from '../../feature.ts'
import { pruneMailJob, sendMailJob } from './outbox.jobs.ts'

export const outboxFeature = feature({ jobs: [sendMailJob, pruneMailJob] })
