/** Reports a job to the server: its growing trace, keepalives when nothing is written, and its result. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JobCredentials, type JobResult, patchTrace, updateJob } from '../protocol/client.ts'
import type { Trace } from './trace.ts'

export interface Reporter {
  /** Sends the rest of the trace and the result until the server has both. Resolves to whether it accepted them. */
  finish(result: Pick<JobResult, 'state' | 'failure_reason' | 'exit_code'>): Promise<boolean>
}

export interface ReporterOptions {
  job: JobCredentials
  trace: Trace
  isDebug: boolean
  /** Interval between reports, unless the server asks for another one. */
  interval_ms: number
  /** The server asks for a graceful end: `after_script` still runs. */
  onCancel: () => void
  /** The server has ended the job. */
  onAbort: () => void
}

const maxPatch_bytes = 1024 * 1024
/** After this many intervals without output, the server is asked whether it still wants the job. */
const maxSilent_intervals = 3
const maxPause_ms = 60_000
/** A server that is unreachable for this long has given up the job. */
const maxFinish_ms = 3_600_000

export function startReporter(options: ReporterOptions): Reporter {
  const { job, trace } = options
  const stop = new AbortController()
  let sent = 0
  let interval_ms = options.interval_ms
  let lastSent = Date.now()
  let hasEnded = false

  /** Sends the next part. Resolves to false if it must be retried later. */
  const sendPart = async (): Promise<boolean> => {
    const content = trace.read(sent, maxPatch_bytes)
    if (content.length === 0) return true
    const reply = await patchTrace(job, content, sent, options.isDebug).catch(() => null)
    if (reply === null) return false
    interval_ms = reply.interval_ms ?? interval_ms
    if (reply.isCanceling) options.onCancel()
    if (reply.kind === 'ended') hasEnded = true
    if (reply.kind === 'accepted' || reply.kind === 'range') sent = Math.min(reply.offset, trace.size())
    if (reply.kind === 'accepted') lastSent = Date.now()
    return reply.kind === 'accepted'
  }
  const sendRest = async (): Promise<boolean> => {
    while (sent < trace.size()) if (!(await sendPart())) return false
    return true
  }
  const signalLife = async () => {
    if (Date.now() - lastSent < maxSilent_intervals * interval_ms) return
    const progress = { state: 'running' as const, checksum: trace.checksum(), size_bytes: trace.size() }
    const reply = await updateJob(job, progress).catch(() => null)
    if (reply === null) return
    lastSent = Date.now()
    interval_ms = reply.interval_ms ?? interval_ms
    if (reply.isCanceling) options.onCancel()
    if (reply.kind === 'ended') hasEnded = true
  }
  const sendResult = async (result: Pick<JobResult, 'state' | 'failure_reason' | 'exit_code'>) => {
    const reply = await updateJob(job, { ...result, checksum: trace.checksum(), size_bytes: trace.size() }).catch(() => null)
    return reply?.kind ?? 'failed'
  }
  const watch = async () => {
    while (!stop.signal.aborted && !hasEnded) {
      await sleep(interval_ms, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) return
      await sendPart()
      if (!hasEnded) await signalLife()
    }
    if (hasEnded) options.onAbort()
  }
  const watching = watch()

  return {
    async finish(result) {
      trace.end()
      stop.abort()
      await watching
      const deadline = Date.now() + maxFinish_ms
      for (let pause_ms = 1_000; !hasEnded && Date.now() < deadline; pause_ms = Math.min(pause_ms * 2, maxPause_ms)) {
        const kind = (await sendRest()) ? await sendResult(result) : 'failed'
        if (kind === 'done') return true
        if (kind === 'ended' || hasEnded) return false
        if (kind === 'invalid_trace') sent = 0
        await sleep(pause_ms)
      }
      return false
    },
  }
}
