/** Background work: fetches repositories from other servers, and fails imports that were interrupted. */
import { fetchRemote } from '../../../git/transfer/remote.ts'
import type { Target } from '../../../outgoing/ssrf-guard.ts'
import { type AnyJob, job, removeDead } from '../../../queue/queue.ts'
import { locateTarget } from '../../instance/targets.ts'
import { type Filling, fillProject } from './fill.service.ts'
import { importsNotUpdatedSince, setImportState } from './imports.queries.ts'

const hour_ms = 60 * 60_000

/** The duration depends on other servers. */
const limits = { max_bytes: 10 * 1024 ** 3, deadline_ms: 2 * hour_ms }

export const importJob = job<Filling & { target: Target }>('imports.git', {
  lane: 'remote',
  handle: (app, { target, ...filling }, stopping) =>
    fillProject(
      app,
      filling,
      {
        async bring(empty, _, signal) {
          return fetchRemote(empty, await locateTarget(app, target), { ...limits, signal })
        },
      },
      stopping,
    ),
})

/** Longer than any import may take. */
const stale_ms = 15 * hour_ms

/** Imports whose process died in every attempt. */
export const failStaleImportsJob = job('imports.give_up', {
  every_ms: hour_ms,
  async handle(app) {
    for (const id of await importsNotUpdatedSince(app.db, new Date(Date.now() - stale_ms).toISOString())) {
      await setImportState(app.db, id, { import_status: 'failed', import_error: 'The import was begun and never came to its end' })
    }
    await removeDead(app.db, [importJob])
  },
})

export const importJobs: AnyJob[] = [importJob, failStaleImportsJob]
