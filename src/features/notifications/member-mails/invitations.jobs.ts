/** Background work: mail to whoever is invited to a project or group. */
import { job } from '../../../queue/queue.ts'
import { mailInvitation } from './invitations.service.ts'

/** As long as the outbox tries to deliver. */
export const invitationMailJob = job<{ invitation_id: number }>('notifications.mail_invitation', { attempts: 12, handle: mailInvitation })
