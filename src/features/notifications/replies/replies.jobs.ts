/** Background work: reads the mailbox that replies arrive in, and forgets handled messages. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { type Fate, type IncomingMessage, readInbox } from '../../../mail/incoming/inbox.ts'
import { job } from '../../../queue/queue.ts'
import { forgetMessages } from './replies.queries.ts'
import { receiveMessage } from './replies.service.ts'

export const readInboxJob = job<Record<never, never>>('mail.read_inbox', {
  key: () => 'mail.read_inbox',
  lane: 'remote',
  every_ms: 30_000,
  at_start: true,
  async handle(app, _, stopping = new AbortController().signal) {
    if (app.config.replies === null) return
    try {
      await readInbox(app.config.replies, (message) => receive(app, message), stopping)
    } catch (error) {
      app.log.warn({ err: error }, 'mail: inbox not read')
    }
  },
})

/** One that fails keeps no other waiting. */
function receive(app: App, message: IncomingMessage): Promise<Fate> {
  return receiveMessage(app, message).catch((error: unknown) => {
    app.log.warn({ err: error }, 'mail: received message not handled')
    return 'later' as const
  })
}

const day_ms = 24 * 60 * 60_000
const kept_days = 90
const atOnce = 500

export const forgetMessagesJob = job('mail.forget_received', {
  every_ms: day_ms,
  async handle(app, _, stopping) {
    const before = new Date(Date.now() - kept_days * day_ms)
    for (let more = true; more && !stopping?.aborted; )
      more = (await inTransaction(app.db, (tx) => forgetMessages(tx, before, atOnce))) === atOnce
  },
})
