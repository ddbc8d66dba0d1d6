/** Background work: mail with a link to confirm an address, reset a password or unlock a login. */
import { job } from '../../../queue/queue.ts'
import { type LinkOrder, mailLink } from './links.service.ts'

export const mailLinkJob = job<LinkOrder>('accounts.mail_link', { handle: mailLink })
