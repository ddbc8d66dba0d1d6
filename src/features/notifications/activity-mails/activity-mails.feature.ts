/** Background work of mail about what people do, for the table of contents. */
import { feature } from '../../feature.ts'
import { dueIssuesJob, mailCommentJob, writeMailJob } from './activity-mails.jobs.ts'

export const activityMailsFeature = feature({ jobs: [writeMailJob, mailCommentJob, dueIssuesJob] })
