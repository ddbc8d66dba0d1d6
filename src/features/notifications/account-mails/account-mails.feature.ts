/** Background work of mail about accounts, for the table of contents. */
import { feature } from '../../feature.ts'
import { mailLinkJob } from './links.jobs.ts'
import { mailRejectionJob } from './rejections.jobs.ts'

export const accountMailsFeature = feature({ jobs: [mailLinkJob, mailRejectionJob] })
