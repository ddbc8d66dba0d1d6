/** Reports of a runner on its job: that it is still running, or how it ended. */
import type { App } from '../../../app.ts'
import type { PlannedJob } from '../../../ci/plan.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiJob } from '../../../db/tables.ts'
import { badParameter } from '../../../failure.ts'
import { requireRunningJob } from '../job-tokens/job-tokens.ts'
import { findCoverage } from '../planner/planner.ts'
import { endJob } from '../processing/processing.ts'
import { appendTrace, tailOfTrace } from '../traces/traces.ts'
import { failureReasons } from './payload.present.ts'
import { coveragePatternOf, receivedTrace, touchJob } from './reports.queries.ts'

export interface Report {
  state?: string | undefined
  failure_reason?: string | undefined
  exit_code?: number | undefined
  trace?: string | undefined
  /** Sent by agents that don't know `output` yet. */
  checksum?: string | undefined
  output?: { checksum?: string | undefined; bytesize?: number | undefined } | undefined
}

/** Recorded only this often, since runners report every few seconds. */
const touched_ms = 60_000

/**
 * Processes a report. `isPending`: parts of the trace have not arrived, so the job stays running until they have; the runner sends them and
 * reports again. Throws 403 for a wrong token, and for a job that has ended.
 */
export async function reportJob(
  app: App,
  by: { id: number; token: string | null },
  { state, failure_reason, exit_code, trace, checksum: given, output }: Report,
): Promise<{ status: string; isPending: boolean }> {
  const running = await requireRunningJob(app, by)
  const { status, job } = running
  if (failure_reason && !(failureReasons as readonly string[]).includes(failure_reason) && failure_reason !== 'job_canceled')
    throw badParameter('failure_reason does not have a valid value')
  // Sent by agents of release 11.3 if a part of the trace was lost.
  if (trace) await appendTrace(app, running, { start: 0, bytes: Buffer.from(trace), token: by.token })
  const runs = job.canceling_at === null ? 'running' : 'canceling'
  if (state !== 'success' && state !== 'failed') {
    if (status.updated_at === null || Date.now() - Date.parse(status.updated_at) > touched_ms) await touchJob(app.db, job.id, now())
    return { status: runs, isPending: false }
  }
  const received = await receivedTrace(app.db, job.id)
  if (output?.bytesize !== undefined && received.length < output.bytesize) return { status: runs, isPending: true }
  const checksum = output?.checksum ?? given
  // Sending the trace again would not help, since acknowledged bytes are skipped. The result of the runner counts, whatever the trace
  // contains.
  if (checksum?.startsWith('crc32:') && checksum.toLowerCase() !== received.checksum && output?.bytesize === received.length)
    app.log.warn({ job_id: job.id, checksum, received: received.checksum }, 'traces: the checksum of the runner differs')
  const coverage = await coverageOfJob(app, job)
  const ended = await inTransaction(app.db, (tx) =>
    endJob(tx, job.id, { status: state, failure_reason: failure_reason || null, exit_code: exit_code ?? null, coverage }),
  )
  return { status: ended?.status.status ?? (await requireRunningJob(app, by)).status.status, isPending: false }
}

/** Only this much of the end of a trace is searched for the coverage. */
const searched_bytes = 4 * 1024 * 1024

/** In percent; null if no pattern is defined, or it doesn't match. */
async function coverageOfJob(app: App, job: Pick<CiJob, 'id' | 'plan' | 'project_id'>): Promise<number | null> {
  const pattern = (JSON.parse(job.plan) as Partial<PlannedJob>).coverage ?? (await coveragePatternOf(app.db, job.project_id))
  return pattern ? findCoverage(`project ${job.project_id}`, await tailOfTrace(app, job.id, searched_bytes), pattern) : null
}
