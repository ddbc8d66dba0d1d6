/** Background work: mail about new members and access requests. */
import { job } from '../../../queue/queue.ts'
import { type MemberNews, mailMember } from './member-mails.service.ts'

export const memberMailJob = job<MemberNews>('notifications.mail_member', { handle: mailMember })
