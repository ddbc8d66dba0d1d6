/** Puts messages into the outbox, in the transaction of what they tell of. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Mail, MailContent, User } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { notificationEmail } from '../../spaces/notification-settings/notification-settings.ts'
import { sendMailJob } from './outbox.jobs.ts'
import { contentId, insertMails, toldOf } from './outbox.queries.ts'

/** What is told, as all recipients read it. */
export interface Content extends Omit<MailContent, 'id' | 'created_at' | 'headers' | 'sealed_token'> {
  headers: Record<string, string>
  /** What ends the address of the page, as `sealToken` gives it. The message is about that link, and nothing stands below it. */
  sealed_token?: string
}

export interface Recipient extends Pick<User, 'id' | 'email' | 'notification_email'> {
  reason: Mail['reason']
}

/**
 * What is told twice is sent once: whoever has a message of this key already, by a job that ran before or for others of its recipients,
 * gets no second one.
 */
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
