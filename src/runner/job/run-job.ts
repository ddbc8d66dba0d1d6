/** Runs one job, from its payload to the result that the server gets. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobResult } from '../protocol/client.ts'
import { runnerInfo, runnerName } from '../protocol/info.ts'
import type { JobPayload } from '../protocol/payload.ts'
import type { Sandbox } from '../shell/sandbox.ts'
import { styled } from '../shell/text.ts'
import { type Reporter, startReporter } from '../trace/reporter.ts'
import { openTrace } from '../trace/trace.ts'
import { foldersOf, type JobFolders, prepareFolders, removeTemporary } from './folders.ts'
import { runStages } from './stages.ts'
import { JobFailed } from './stages.types.ts'
import { openVariables } from './variables.ts'

export interface JobOptions {
  job: JobPayload
  runner: { name: string; url: string; system_id: string }
  home: string
  sandbox: Sandbox
  /** Numbers of this job among all running ones of this runner, and among those of the same project, from 0. */
  slot: number
  project_slot: number
  max_trace_bytes: number
  report_interval_ms: number
  /** Gets the trace while it is written. */
  onOutput?: (bytes: Buffer) => void
  /** Ends the job at once, as failed, because the runner stops. */
  signal: AbortSignal
}

export type JobOutcome = 'success' | 'failed' | 'canceled'

/** Reasons for which signals end a job. */
const canceled = new JobFailed('canceled', { reason: 'job_canceled' })

/** Runs the job and reports it. Never rejects: errors become the result of the job. */
export async function runJob(options: JobOptions): Promise<{ outcome: JobOutcome; message: string }> {
  const { job, runner, home } = options
  const place = { home, url: runner.url, project_id: job.job_info.project_id, job_id: job.id, project_slot: options.project_slot }
  const folders = foldersOf({ ...place, repo_url: job.git_info.repo_url })
  await prepareFolders(folders)
  await mkdir(join(home, 'cache'), { recursive: true, mode: 0o700 })
  const { max_trace_bytes: max_bytes, onOutput } = options
  const trace = openTrace(join(folders.aside, 'trace'), { secrets: secretsOf(job), max_bytes, onOutput })
  const script = new AbortController()
  const all = new AbortController()
  const credentials = { url: runner.url, id: job.id, token: job.token }
  const reporter = startReporter({
    ...{ job: credentials, trace, interval_ms: options.report_interval_ms },
    isDebug: job.variables.some(({ key, value }) => key === 'CI_DEBUG_TRACE' && value === 'true'),
    onCancel: () => script.abort(canceled),
    onAbort: () => all.abort(canceled),
  })
  const unlimited = limitTime(all, job.timeout_s)
  const stop = () => all.abort(new Error('the runner was stopped'))
  options.signal.addEventListener('abort', stop, { once: true })
  if (options.signal.aborted) stop()
  try {
    trace.write(`Running with ${runnerName} ${runnerInfo.version}\n  on ${runner.name} ${runner.system_id}\n`)
    const failure = await attempt(options, { folders, credentials, trace, script, all })
    return await report(reporter, { trace, failure, job, isGone: all.signal.reason === canceled })
  } finally {
    clearTimeout(unlimited)
    options.signal.removeEventListener('abort', stop)
    trace.remove()
    await removeTemporary(folders)
  }
}

interface Attempt extends Pick<Parameters<typeof runStages>[0], 'credentials' | 'trace'> {
  folders: JobFolders
  script: AbortController
  all: AbortController
}

/** Why the job failed; null if it succeeded. */
async function attempt(options: JobOptions, { folders, credentials, trace, script, all }: Attempt): Promise<unknown> {
  const { job, home, sandbox, slot, project_slot } = options
  try {
    const variables = await openVariables(job, folders, { slot, project_slot })
    const signals = { script: AbortSignal.any([script.signal, all.signal]), all: all.signal }
    await runStages({ job, credentials, folders, variables, trace, sandbox, home }, signals)
    return null
  } catch (error) {
    // A pause between two attempts that was cut short says only by its cause why.
    if (error instanceof Error && error.name === 'AbortError') return error.cause ?? error
    return error ?? new Error('unknown')
  }
}

function limitTime(all: AbortController, timeout_s: number): NodeJS.Timeout {
  const why = new JobFailed(`execution took longer than ${timeout_s} seconds`, { reason: 'job_execution_timeout' })
  return setTimeout(() => all.abort(why), Math.min(timeout_s * 1000, 2 ** 31 - 1))
}

interface Ending {
  trace: { write: (text: string) => void }
  failure: unknown
  job: JobPayload
  isGone: boolean
}

async function report(reporter: Reporter, { trace, failure, job, isGone }: Ending): Promise<{ outcome: JobOutcome; message: string }> {
  if (failure === null) trace.write(styled('notice', 'Job succeeded'))
  else if (failure instanceof JobFailed) trace.write(styled('error', `ERROR: Job failed: ${failure.message}`))
  else trace.write(styled('error', `ERROR: Job failed (system failure): ${(failure as Error).message}`))
  // After a cancel the server no longer accepts reports, but trying costs little.
  const isTaken = await reporter.finish(resultOf(failure, job))
  if (failure === null) return { outcome: isTaken ? 'success' : 'canceled', message: isTaken ? '' : 'the server no longer knows the job' }
  return { outcome: isGone || failure === canceled ? 'canceled' : 'failed', message: (failure as Error).message }
}

function resultOf(failure: unknown, { failure_reasons }: JobPayload): Pick<JobResult, 'state' | 'failure_reason' | 'exit_code'> {
  if (failure === null) return { state: 'success', exit_code: 0 }
  if (!(failure instanceof JobFailed)) return { state: 'failed', failure_reason: 'runner_system_failure' }
  // Servers that don't know this reason treat a timeout as a failed script.
  const isKnown = failure.reason === 'script_failure' || failure_reasons.length === 0 || failure_reasons.includes(failure.reason)
  const failure_reason = isKnown ? failure.reason : 'script_failure'
  return { state: 'failed', failure_reason, ...(failure.exit_code === undefined ? {} : { exit_code: failure.exit_code }) }
}

function secretsOf(job: JobPayload): string[] {
  const masked = job.variables.filter(({ masked }) => masked).map(({ value }) => value)
  return [job.token, ...job.dependencies.map(({ token }) => token), ...job.passwords, ...masked]
}
