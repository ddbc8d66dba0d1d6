/** Bringing in repositories from elsewhere, and giving up those that nobody is at any more. */
import { fetchRemote } from '../../../git/transfer/remote.ts'
import type { Target } from '../../../outgoing/ssrf-guard.ts'
import { type AnyJob, job, removeDead } from '../../../queue/queue.ts'
import { type Filling, fillProject } from './fill.service.ts'
import { forgottenSince, setImportState } from './imports.queries.ts'
import { locateTarget } from './targets.service.ts'

const hour_ms = 60 * 60_000

/** Others' machines decide how long it takes: this is the most. */
const limits = { max_bytes: 10 * 1024 ** 3, deadline_ms: 2 * hour_ms }

export const importJob = job<Filling & { target: Target }>('imports.git', {
  lane: 'remote',
  handle: (app, { target, ...filling }, stopping) =>
    fillProject(
      app,
      filling,
      {
        async bring(empty) {
          return fetchRemote(empty, await locateTarget(app, target), { ...limits, signal: stopping })
        },
      },
      stopping,
    ),
})

/** Longer than any of them may take. */
const patience_ms = 15 * hour_ms

/** Whose process ended in the middle, each time it was begun again. */
export const giveUpForgottenJob = job('imports.give_up', {
  every_ms: hour_ms,
  async handle(app) {
    for (const id of await forgottenSince(app.db, new Date(Date.now() - patience_ms).toISOString())) {
      await setImportState(app.db, id, { import_status: 'failed', import_error: 'The import was begun and never came to its end' })
    }
    await removeDead(app.db, [importJob])
  },
})

export const importJobs: AnyJob[] = [importJob, giveUpForgottenJob]
