/** Background work of mail: sends pending messages, and deletes old ones. */
import { inTransaction } from '../../../db/database.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { deleteContents, giveUpInterrupted } from './outbox.queries.ts'
import { sendWaiting } from './send.service.ts'

/** Also runs periodically, for messages that are to be retried. */
export const sendMailJob: Job<Record<never, never>> = job('mail.send', {
  key: () => 'mail.send',
  lane: 'remote',
  every_ms: 30_000,
  at_start: true,
  handle: (app, _, stopping = new AbortController().signal) => sendWaiting(app, stopping),
})

const hour_ms = 60 * 60_000
const kept_days = 14
const atOnce = 500

export const pruneMailJob = job('mail.prune', {
  every_ms: hour_ms,
  at_start: true,
  async handle(app, _, stopping) {
    const interrupted = await giveUpInterrupted(app.db, new Date(Date.now() - hour_ms))
    if (interrupted > 0) app.log.warn({ mails: interrupted }, 'mail: given up, for the server stopped while they were being sent')
    const before = new Date(Date.now() - kept_days * 24 * hour_ms)
    for (let more = true; more && !stopping?.aborted; )
      more = (await inTransaction(app.db, (tx) => deleteContents(tx, before, atOnce))) === atOnce
  },
})
