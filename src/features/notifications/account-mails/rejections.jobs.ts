/** Background work: telling people by mail that their sign-up was rejected. Their account is gone, so the outbox has no place for it. */
import { randomUUID } from 'node:crypto'
import { job } from '../../../queue/queue.ts'
import { wordsOfRejection } from './words.ts'

export const mailRejectionJob = job<{ username: string; email: string }>('accounts.mail_rejection', {
  async handle(app, { username, email }) {
    if (app.mailer === null) return
    const message_id = `rejection_${randomUUID()}@${app.config.hostname}`
    const outcome = await app.mailer.send({
      ...wordsOfRejection({ username }, app.config.url),
      to: email,
      message_id,
      in_reply_to: null,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    // Nothing was sent: the queue tries again.
    if (outcome.kind === 'deferred') throw new Error(`mail server: ${outcome.error}`)
    if (outcome.kind !== 'sent') app.log.warn({ outcome: outcome.kind, error: outcome.error }, 'mail: rejection not sent')
  },
})
