/** The primary process of a server of several: starts workers, replaces those that die, stops them, and holds what they share. */
import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { StartRefused } from '../failure.ts'
import type { FromWorker, ToWorker } from './protocol.ts'
import { openServices } from './services.ts'

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

/** A worker that dies sooner than this has not lasted. */
const settled_ms = 10_000
const maxDelay_ms = 30_000
/** So many starts in a row that came to nothing, with no worker left, end the server. */
const maxFailures = 5

/**
 * Resolves when the server has stopped, as it was told to. The first worker is started alone: it migrates, and tells why it
 * can't start. Throws StartRefused when no worker can be started later on; a refusal at the first start has been told by then.
 */
export async function runPrimary({ program, processes, log }: PrimaryOptions): Promise<void> {
  // Workers accept by themselves: a connection that is handed to a worker which dies in that moment is never closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ exec: program, args: ['serve'] })
  const services = openServices((id) => killHung(log, members.get(id)?.worker))
  const members = new Map<number, Member>()
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
    // A message to a worker that dies in this moment is lost, and that is all.
    const send = (message: ToWorker) => void worker.send(message, () => {})
    members.set(id, { worker, isReady: false, started_ms: Date.now() })
    services.add(id, send)
    worker.on('message', (message: FromWorker) => {
      if ('ask' in message && message.ask === 'join') onJoin(send, message.id)
      else if ('tell' in message && message.tell === 'ready') onReady(id)
      else services.handle(id, message)
    })
    worker.on('error', (error) => log.error({ err: error, worker: worker.process.pid }, 'worker process failed'))
    worker.once('exit', (code, signal) => onExit(id, code, signal))
  }

  function onJoin(send: (message: ToWorker) => void, id: number): void {
    send({ tell: 'answer', id, answer: { isFirst: !hasStarted } })
    // What it was told before it listened is lost.
    if (isStopping) send({ tell: 'stop' })
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

  /** One process works off the queue: its lanes are one job at a time for the whole server. */
  function chooseQueueWorker(): void {
    if (queueWorker !== null) return
    const [first] = [...members].filter(([, { isReady }]) => isReady)
    if (!first) return
    queueWorker = first[0]
    first[1].worker.send({ tell: 'work' } satisfies ToWorker, () => {})
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
    log.error({ worker: member?.worker.process.pid, code, signal, lived_ms }, 'worker process ended; another takes its place')
    const failures = restarts.schedule(member?.isReady === true && lived_ms > settled_ms)
    if (members.size > 0 || failures < maxFailures) return
    finish(new StartRefused(`${failures} worker processes in a row ended before they served; what they said stands above`))
  }

  /** At the end, and at a start that came to nothing: the worker has told why, unless it was killed. */
  function onLastWords(code: number, signal: string | null): void {
    if (code !== 0 || signal) process.exitCode = 1
    if (signal && !isStopping) finish(new StartRefused(`the first worker process was ended by ${signal}`))
    else if (members.size === 0) finish(null)
  }

  function stop(signal: string): void {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    restarts.cancel()
    for (const { worker } of members.values()) worker.send({ tell: 'stop' } satisfies ToWorker, () => {})
    if (members.size === 0) finish(null)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)

  startWorker()
  const refusal = await finished
  restarts.cancel()
  if (refusal) throw refusal
}

/** SQLite rolls back what it had begun, and another worker takes its place. */
function killHung(log: Logger, worker: Worker | undefined): void {
  log.error({ worker: worker?.process.pid }, 'worker process hangs with the write lock; killed')
  worker?.process.kill('SIGKILL')
}

/** Starts workers again: at once, or later and later when they don't last. */
function restarter(start: () => void) {
  const timers = new Set<NodeJS.Timeout>()
  let failures = 0
  return {
    /** Gives how many in a row did not last. */
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
