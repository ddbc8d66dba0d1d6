/** Background work of webhooks: sends pending deliveries, and deletes old ones. */
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, type Job, job } from '../../../queue/queue.ts'
import { makeBody } from '../payloads/payloads.ts'
import { deleteOld } from './deliveries.queries.ts'
import { sendAll } from './deliveries.service.ts'

/** Also runs periodically, for deliveries of hooks that were paused. */
export const sendJob: Job<Record<never, never>> = job('webhooks.send', {
  key: () => 'webhooks.send',
  lane: 'webhooks',
  every_ms: 10_000,
  at_start: true,
  handle: (app, _, stopping = new AbortController().signal) => sendAll(app, makeBody, stopping),
})

const day_ms = 24 * 60 * 60_000
/** How long the log is kept. */
const kept_days = 14
const atOnce = 1_000

const pruneJob = job('webhooks.prune', {
  every_ms: 6 * 60 * 60_000,
  at_start: true,
  async handle(app, _, stopping) {
    const before = new Date(Date.now() - kept_days * day_ms).toISOString()
    for (let more = true; more && !stopping?.aborted; ) {
      more = (await inTransaction(app.db, (tx) => deleteOld(tx, before, atOnce))) === atOnce
    }
  },
})

export const webhookJobs: AnyJob[] = [sendJob, pruneJob]
