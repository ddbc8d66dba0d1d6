/** Background work of replies to mail, for the table of contents. */
import { feature } from '../../feature.ts'
import { mailRefusalJob } from './refusals.jobs.ts'
import { forgetMessagesJob, readInboxJob } from './replies.jobs.ts'

export const repliesFeature = feature({ jobs: [readInboxJob, mailRefusalJob, forgetMessagesJob] })
