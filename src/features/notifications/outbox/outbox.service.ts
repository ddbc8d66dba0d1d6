/** Puts messages into the outbox, in the transaction of the event. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Mail, MailContent, User } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { notificationEmail } from '../../spaces/notification-settings/notification-settings.ts'
import { sendMailJob } from './outbox.jobs.ts'
import { contentId, insertMails, usersWithContent } from './outbox.queries.ts'
import { type Thread, textOfThread } from './reply-address.ts'

/** The content, the same for all recipients. */
export interface Content extends Omit<MailContent, 'id' | 'created_at' | 'headers' | 'sealed_token' | 'thread'> {
  headers: Record<string, string>
  /** The end of the page's URL, from `sealToken`. The message is about that link, so it has no footer. */
  sealed_token?: string
  /** The discussion that a reply continues; without one, replies are not read. */
  thread?: Thread
}

export interface Recipient extends Pick<User, 'id' | 'email' | 'notification_email'> {
  reason: Mail['reason']
}

/**
 * A message is sent once: users who already have a message with this key, from an earlier run of the job or as one of its other recipients,
 * get no second one.
 */
export async function mailIn(tx: Tx, { headers, thread, ...content }: Content, recipients: Recipient[]): Promise<void> {
  if (recipients.length === 0) return
  const at = now()
  const { id, isNew } = await contentId(tx, {
    sealed_token: null,
    ...content,
    headers: JSON.stringify(headers),
    thread: thread ? textOfThread(thread) : null,
    created_at: at,
  })
  const told = isNew ? new Set<number>() : await usersWithContent(tx, id, recipients)
  const mails = recipients
    .filter((user) => !told.has(user.id))
    .map((user) => ({ content_id: id, user_id: user.id, address: notificationEmail(user), reason: user.reason, due_at: at }))
  if (mails.length === 0) return
  await insertMails(tx, mails)
  await enqueue(tx, sendMailJob, {})
}
