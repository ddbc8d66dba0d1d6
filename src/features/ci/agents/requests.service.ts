/** Answers a runner that requests a job: with one or, after a while, with none. */
import { hash } from 'node:crypto'
import type { App } from '../../../app.ts'
import { reportFailure } from '../../../background.ts'
import { inTransaction } from '../../../db/database.ts'
import type { CiRunner } from '../../../db/tables.ts'
import type { Patience } from '../../../http/declare/context.ts'
import { endJob, type TakenJob } from '../processing/processing.ts'
import { MissingDependency } from './elsewhere.service.ts'
import { payloadOf } from './payload.service.ts'
import { queueOf } from './queue.service.ts'
import { type Machine, takeFor } from './taking.service.ts'

export interface JobRequest {
  machine: Machine
  /** The value from the last reply. */
  last_update: string | undefined
  patience: Patience
}

/** The payload of a job that was assigned to the runner, or `last_update` for its next request. */
export async function requestJob(app: App, runner: CiRunner, { machine, last_update, patience: { until, signal } }: JobRequest) {
  const queue = queueOf(app)
  for (;;) {
    // Read before looking for jobs, so that a job queued meanwhile changes it.
    const version = versionFor(runner, await queue.version())
    const payload = runner.active ? await nextJob(app, runner, machine, signal) : null
    if (payload) return payload
    const left_ms = until - Date.now()
    if (!runner.active || last_update !== version || left_ms <= 0 || signal.aborted) return { last_update: version }
    await queue.wait(runner, left_ms, signal)
  }
}

/** Null if there is none, or the client has left and would not get it. */
async function nextJob(app: App, runner: CiRunner, machine: Machine, signal: AbortSignal) {
  while (!signal.aborted) {
    const taken = await takeFor(app, runner, machine)
    if (!taken) return null
    const payload = await payloadOf(app, runner, taken).catch((error: unknown) => giveUp(app, taken, error))
    if (payload) return payload
  }
  return null
}

/** If the payload of a job can't be built, for example because its commit is gone, the job fails and the runner gets the next one. */
async function giveUp(app: App, { status }: TakenJob, error: unknown): Promise<null> {
  const isMissing = error instanceof MissingDependency
  if (!isMissing) reportFailure(app, error, 'runners: could not make the payload of a job')
  const failure_reason = isMissing ? 'missing_dependency_failure' : 'data_integrity_failure'
  await inTransaction(app.db, (tx) => endJob(tx, status.id, { status: 'failed', failure_reason }))
  return null
}

/** Changes when there may be something new for the runner: jobs, or what it may run. */
function versionFor({ id, updated_at }: CiRunner, newest: string): string {
  return hash('sha256', `${id} ${updated_at} ${newest}`).slice(0, 32)
}
