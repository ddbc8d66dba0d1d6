/** Background work of mail about members, for the table of contents. */
import { feature } from '../../feature.ts'
import { invitationMailJob } from './invitations.jobs.ts'
import { memberMailJob } from './member-mails.jobs.ts'

export const memberMailsFeature = feature({ jobs: [memberMailJob, invitationMailJob] })
