/** Sends the messages in the outbox, each at most once. */
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Mail, MailContent } from '../../../db/tables.ts'
import { messageOf } from './message.ts'
import { claimMails, contentsOf, recordMail } from './outbox.queries.ts'
import { threadOfText } from './reply-address.ts'
import { threadSeenBy } from './threads.service.ts'

/** As many as the mailer has connections. */
const atOnce = 4
const batch = 100
/** Delays between attempts, a day in total. */
const backOff_min = [1, 5, 15, 60, 180, 360, 720]

/** Runs until nothing is due. Several processes may do so. */
export async function sendWaiting(app: App, stopping: AbortSignal): Promise<void> {
  if (app.mailer === null) return
  while (!stopping.aborted) {
    const mails = await inTransaction(app.db, (tx) => claimMails(tx, batch))
    if (mails.length === 0) return
    const contents = new Map(
      (await contentsOf(app.db, [...new Set(mails.map(({ content_id }) => content_id))])).map((row) => [row.id, row]),
    )
    const waiting = mails.values()
    await Promise.all(Array.from({ length: atOnce }, () => sendOneByOne(app, waiting, contents, stopping)))
  }
}

async function sendOneByOne(app: App, mails: Iterable<Mail>, contents: Map<number, MailContent>, stopping: AbortSignal): Promise<void> {
  for (const mail of mails) {
    if (stopping.aborted) await recordMail(app.db, mail.id, { state: 'waiting', due_at: mail.due_at })
    else await sendOne(app, mail, contents.get(mail.content_id) as MailContent)
  }
}

/** A message that has waited for longer is checked again, as its recipient may have lost access meanwhile. */
const fresh_ms = 5 * 60_000

async function isStillForThem({ db }: App, { user_id }: Mail, { thread: written, created_at }: MailContent): Promise<boolean> {
  if (written === null || Date.now() - Date.parse(created_at) < fresh_ms) return true
  const [user, thread] = [await userById(db, user_id), threadOfText(written)]
  return user !== null && mayAct(user) && thread !== null && (await threadSeenBy(db, user, thread)) !== null
}

async function sendOne(app: App, mail: Mail, content: MailContent): Promise<void> {
  if (!(await isStillForThem(app, mail, content)))
    return recordMail(app.db, mail.id, { state: 'failed', last_error: 'its recipient can no longer see what it is about' })
  const attempts = mail.attempts + 1
  const outcome = (await app.mailer?.send(messageOf(app, mail, content))) ?? { kind: 'deferred', error: 'mail is off' }
  if (outcome.kind === 'sent') return recordMail(app.db, mail.id, { state: 'sent', attempts, last_error: null })
  const wait_min = outcome.kind === 'deferred' ? backOff_min[mail.attempts] : undefined
  app.log.warn({ mail: mail.id, user: mail.user_id, outcome: outcome.kind, error: outcome.error, attempts }, 'mail: not sent')
  if (wait_min === undefined) return recordMail(app.db, mail.id, { state: 'failed', attempts, last_error: outcome.error })
  const due_at = new Date(Date.now() + wait_min * 60_000).toISOString()
  await recordMail(app.db, mail.id, { state: 'waiting', attempts, due_at, last_error: outcome.error })
}
