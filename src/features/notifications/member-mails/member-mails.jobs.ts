/** Background work: mail about who became a member, and who wants to. */
import { job } from '../../../queue/queue.ts'
import { type MemberNews, mailMember } from './member-mails.service.ts'

export const memberMailJob = job<MemberNews>('notifications.mail_member', { handle: mailMember })
