/** Adds messages to the outbox, in the transaction of the event. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Mail, MailContent, User } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { notificationEmail } from '../../spaces/notification-settings/notification-settings.ts'
import { sendMailJob } from './outbox.jobs.ts'
import { contentId, insertMails, toldOf } from './outbox.queries.ts'

/** The content, the same for all recipients. */
export interface Content extends Omit<MailContent, 'id' | 'created_at' | 'headers' | 'sealed_token'> {
  headers: Record<string, string>
  /** The sealed last part of the URL (`sealToken`). The message consists of that link, and has no footer. */
  sealed_token?: string
}

export interface Recipient extends Pick<User, 'id' | 'email' | 'notification_email'> {
  reason: Mail['reason']
}

/** Idempotent: a user who already has a message with this key, from an earlier run of the job or for another reason, gets no second one. */
export async function mailIn(tx: Tx, { headers, ...content }: Content, recipients: Recipient[]): Promise<void> {
  if (recipients.length === 0) return
  const at = now()
  const { id, isNew } = await contentId(tx, { sealed_token: null, ...content, headers: JSON.stringify(headers), created_at: at })
  const told = isNew ? new Set<number>() : await toldOf(tx, id, recipients)
  const mails = recipients
    .filter((user) => !told.has(user.id))
    .map((user) => ({ content_id: id, user_id: user.id, address: notificationEmail(user), reason: user.reason, due_at: at }))
  if (mails.length === 0) return
  await insertMails(tx, mails)
  await enqueue(tx, sendMailJob, {})
}
