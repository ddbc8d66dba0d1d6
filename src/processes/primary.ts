/** The primary of a server with several processes: starts workers, replaces those that die, stops them, and holds their shared state. */
import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { StartRefused } from '../failure.ts'
import { cpuTimeOf_ms } from './cpu-time.ts'
import type { FromWorker, ToWorker } from './protocol.ts'
import { openServices, type ServicesOptions } from './services.ts'

export interface PrimaryOptions {
  /** The program of a worker. */
  program: string
  processes: number
  log: Logger
}

interface Member {
  worker: Worker
  isReady: boolean
  started_ms: number
}

/** A worker that dies earlier counts as a failed start. */
const settled_ms = 10_000
const maxDelay_ms = 30_000
/** Consecutive failed starts, with no worker left, after which the server exits. */
const maxFailures = 5

/**
 * Resolves when the server has stopped as requested. The first worker is started alone: it migrates, and reports why it can't start. Throws
 * StartRefused if workers can't be started later.
 */
export async function runPrimary({ program, processes, log }: PrimaryOptions): Promise<void> {
  // Workers accept connections themselves: one passed to a worker that dies at that moment would never be closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ exec: program, args: ['serve'] })
  const members = new Map<number, Member>()
  const services = openServices(watching(log, (id) => members.get(id)?.worker))
  const restarts = restarter(startWorker)
  let queueWorker: number | null = null
  let hasStarted = false
  let isStopping = false
  let finish: (outcome: StartRefused | null) => void = () => {}
  const finished = new Promise<StartRefused | null>((resolve) => {
    finish = resolve
  })

  function startWorker(): void {
    const worker = cluster.fork()
    const { id } = worker
    // A message to a worker that is dying may be lost.
    const send = (message: ToWorker) => void worker.send(message, () => {})
    members.set(id, { worker, isReady: false, started_ms: Date.now() })
    services.add(id, send)
    worker.on('message', (message: FromWorker) => {
      if ('request' in message && message.request === 'join') onJoin(send, message.id)
      else if ('notify' in message && message.notify === 'ready') onReady(id)
      else if ('notify' in message && message.notify === 'enqueued') members.get(queueWorker ?? 0)?.worker.send(message, () => {})
      else services.handle(id, message)
    })
    worker.on('error', (error) => log.error({ err: error, worker: worker.process.pid }, 'worker process failed'))
    worker.once('exit', (code, signal) => onExit(id, code, signal))
  }

  function onJoin(send: (message: ToWorker) => void, id: number): void {
    send({ notify: 'answer', id, answer: { isFirst: !hasStarted } })
    // Messages sent before it listened are lost.
    if (isStopping) send({ notify: 'stop' })
  }

  function onReady(id: number): void {
    const member = members.get(id)
    if (member) member.isReady = true
    if (!hasStarted) {
      hasStarted = true
      for (let number = 1; number < processes && !isStopping; number += 1) startWorker()
    }
    chooseQueueWorker()
  }

  /** One process runs the queue, since its slots are limits for the whole server. */
  function chooseQueueWorker(): void {
    const [first] = [...members].filter(([, { isReady }]) => isReady)
    if (queueWorker !== null || !first) return
    queueWorker = first[0]
    first[1].worker.send({ notify: 'work' } satisfies ToWorker, () => {})
  }

  function onExit(id: number, code: number, signal: string | null): void {
    const member = members.get(id)
    members.delete(id)
    services.remove(id)
    if (queueWorker === id) queueWorker = null
    if (isStopping || !hasStarted) onLastWords(code, signal)
    else onDeath(member, code, signal)
  }

  function onDeath(member: Member | undefined, code: number, signal: string | null): void {
    chooseQueueWorker()
    const lived_ms = Date.now() - (member?.started_ms ?? 0)
    log.error({ worker: member?.worker.process.pid, code, signal, lived_ms }, 'worker process exited, starting another')
    const failures = restarts.schedule(member?.isReady === true && lived_ms > settled_ms)
    if (members.size > 0 || failures < maxFailures) return
    finish(new StartRefused(`${failures} worker processes in a row exited before they served; see their output above`))
  }

  /** Called at the end, and after a failed start: the worker has reported the reason, unless it was killed. */
  function onLastWords(code: number, signal: string | null): void {
    if (code !== 0 || signal) process.exitCode = 1
    if (signal && !isStopping) finish(new StartRefused(`the first worker process was killed by ${signal}`))
    else if (members.size === 0) finish(null)
  }

  function stop(signal: string): void {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    restarts.cancel()
    for (const { worker } of members.values()) worker.send({ notify: 'stop' } satisfies ToWorker, () => {})
    if (members.size === 0) finish(null)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)

  startWorker()
  const refusal = await finished
  restarts.cancel()
  if (refusal) throw refusal
}

/** How the watchdog of the write lock observes and ends workers. */
function watching(log: Logger, workerOf: (id: number) => Worker | undefined): ServicesOptions {
  return {
    onHung: (id) => killHung(log, workerOf(id)),
    usedCpu_ms: (id) => cpuTimeOf_ms(workerOf(id)?.process.pid ?? 0),
  }
}

/** SQLite rolls back its transaction, and another worker replaces it. */
function killHung(log: Logger, worker: Worker | undefined): void {
  log.error({ worker: worker?.process.pid }, 'worker process hangs with the write lock; killed')
  worker?.process.kill('SIGKILL')
}

/** Restarts workers: at once, or with backoff after failed starts. */
function restarter(start: () => void) {
  const timers = new Set<NodeJS.Timeout>()
  let failures = 0
  return {
    /** Returns the number of consecutive failed starts. */
    schedule(hadLasted: boolean): number {
      failures = hadLasted ? 0 : failures + 1
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          start()
        },
        failures === 0 ? 0 : Math.min(100 * 2 ** failures, maxDelay_ms),
      )
      timers.add(timer)
      return failures
    },
    cancel() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
