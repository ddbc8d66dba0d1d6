/** `gitstead runner run`: requests jobs from the servers and runs up to the allowed number concurrently, until it is stopped. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartRefused } from '../failure.ts'
import { lockHome, type RunnerEntry, readRunners, systemId } from './config.ts'
import { serverKey } from './job/folders.ts'
import { runJob } from './job/run-job.ts'
import { requestJob } from './protocol/client.ts'
import type { JobPayload } from './protocol/payload.ts'
import { chooseSandbox, type SandboxOptions } from './shell/choose-sandbox.ts'
import type { Sandbox } from './shell/sandbox.ts'
import { openSlots, type Slots } from './slots.ts'

export interface RunOptions extends SandboxOptions {
  home: string
  concurrent: number
  max_trace_bytes: number
  /** Pause between two requests to a server that answers at once. */
  check_interval_ms: number
  report_interval_ms: number
}

const maxPause_ms = 60_000

/** Starts polling. The first `stop` lets running jobs finish, the second aborts them. `finished` resolves after the last one. */
export async function startRunner(options: RunOptions): Promise<{ stop: () => void; finished: Promise<void> }> {
  const runners = readRunners(options.home)
  if (runners.length === 0) throw new StartRefused('no runner is registered; see: gitstead runner register --help')
  const sandbox = await chooseSandbox(options)
  const unlock = lockHome(options.home)
  // Removes what jobs left behind when the runner crashed.
  await rm(join(options.home, 'jobs'), { recursive: true, force: true })
  const polling = new AbortController()
  const killing = new AbortController()
  const system_id = systemId(options.home)
  const slots = openSlots(options.concurrent)
  const context = { options, sandbox, system_id, slots, polling: polling.signal, killing: killing.signal }
  options.print(`runs up to ${options.concurrent} jobs at once for ${runners.map(({ name, url }) => `${name} at ${url}`).join(', ')}`)
  const finished = Promise.all(runners.map((runner) => poll(context, runner)))
    .then(() => slots.whenIdle())
    .finally(unlock)
  return {
    stop() {
      if (polling.signal.aborted) killing.abort()
      else options.print('stopping: waits for its jobs; once more ends them')
      polling.abort()
    },
    finished,
  }
}

interface Context {
  options: RunOptions
  sandbox: Sandbox
  system_id: string
  slots: Slots
  polling: AbortSignal
  killing: AbortSignal
}

/** Requests jobs from one server while another job may run. */
async function poll(context: Context, runner: RunnerEntry): Promise<void> {
  const { options, polling, slots } = context
  let last_update = ''
  let pause_ms = options.check_interval_ms
  while (!polling.aborted) {
    const slot = await slots.take(polling)
    if (slot === null) return
    const asked = Date.now()
    const reply = await requestJob({ ...runner, system_id: context.system_id }, last_update, polling).catch((error: Error) => error)
    if (!(reply instanceof Error) && reply.kind === 'job') {
      last_update = reply.last_update
      pause_ms = options.check_interval_ms
      void run(context, { runner, job: reply.job, slot }).finally(() => slots.free(slot))
      continue
    }
    slots.free(slot)
    if (polling.aborted) return
    if (reply instanceof Error || reply.kind !== 'none') {
      const why =
        reply instanceof Error
          ? reply.message
          : reply.kind === 'forbidden'
            ? 'the server does not know the token'
            : `status ${reply.status}`
      options.print(`${runner.name}: could not ask for a job: ${why}; tries again in ${pause_ms / 1000} s`)
      await sleep(pause_ms, undefined, { signal: polling }).catch(() => {})
      pause_ms = Math.min(pause_ms * 2, maxPause_ms)
      continue
    }
    last_update = reply.last_update
    pause_ms = options.check_interval_ms
    await sleep(Math.max(0, options.check_interval_ms - (Date.now() - asked)), undefined, { signal: polling }).catch(() => {})
  }
}

async function run(context: Context, { runner, job, slot }: { runner: RunnerEntry; job: JobPayload; slot: number }): Promise<void> {
  const { options, sandbox, system_id, slots, killing } = context
  const { print } = options
  const name = `job ${job.id} (${job.job_info.name}) of project ${job.job_info.project_id}`
  const project = `${serverKey(runner.url)} ${job.job_info.project_id}`
  const project_slot = slots.takeOf(project)
  print(`${name}: starts`)
  try {
    const { outcome, message } = await runJob({
      ...{ job, home: options.home, sandbox, slot, project_slot, signal: killing },
      runner: { name: runner.name, url: runner.url, system_id },
      max_trace_bytes: options.max_trace_bytes,
      report_interval_ms: options.report_interval_ms,
    })
    print(`${name}: ${outcome}${message === '' ? '' : `, ${message}`}`)
  } catch (error) {
    print(`${name}: the runner failed: ${(error as Error).message}`)
  } finally {
    slots.freeOf(project, project_slot)
  }
}
