/** Answers a runner that asks for a job: with one, or, after a while, that there is none. */
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
  /** What the last reply gave. */
  last_update: string | undefined
  patience: Patience
}

/** The payload of a job that is the runner's now, or `last_update`, to be sent with the next request. */
export async function requestJob(app: App, runner: CiRunner, { machine, last_update, patience: { until, signal } }: JobRequest) {
  const queue = queueOf(app)
  for (;;) {
    // Before looking: what is queued meanwhile has another version.
    const version = versionFor(runner, await queue.version())
    const payload = runner.active ? await nextJob(app, runner, machine, signal) : null
    if (payload) return payload
    const left_ms = until - Date.now()
    if (!runner.active || last_update !== version || left_ms <= 0 || signal.aborted) return { last_update: version }
    await queue.wait(runner, left_ms, signal)
  }
}

/** Null where there is none, or the client has gone and would not get it. */
async function nextJob(app: App, runner: CiRunner, machine: Machine, signal: AbortSignal) {
  while (!signal.aborted) {
    const taken = await takeFor(app, runner, machine)
    if (!taken) return null
    const payload = await payloadOf(app, runner, taken).catch((error: unknown) => giveUp(app, taken, error))
    if (payload) return payload
  }
  return null
}

/** A job that can't be told to a runner, such as one whose commit is gone, fails; the runner gets the next one. */
async function giveUp(app: App, { status }: TakenJob, error: unknown): Promise<null> {
  const isMissing = error instanceof MissingDependency
  if (!isMissing) reportFailure(app, error, 'runners: could not make the payload of a job')
  const failure_reason = isMissing ? 'missing_dependency_failure' : 'data_integrity_failure'
  await inTransaction(app.db, (tx) => endJob(tx, status.id, { status: 'failed', failure_reason }))
  return null
}

/** Differs for the runner once there may be something new for it: jobs, or what it may run. */
function versionFor({ id, updated_at }: CiRunner, newest: string): string {
  return hash('sha256', `${id} ${updated_at} ${newest}`).slice(0, 32)
}
