/**
 * Processes that work on texts of users: the server stays responsive meanwhile, and work that doesn't end or takes too much memory ends
 * with its process alone. They are kept for a while, as starting one takes 40 ms. Short Markdown has a separate process, since otherwise a
 * few hostile pages could occupy all. Turns are given by time used, not by number of jobs: a comment takes a millisecond, a hostile page
 * two seconds. Deadlines are in elapsed time.
 */
import { createFairQueue, type Waive } from '../limits/fair-queue.ts'
import { lostJobs } from './lost-jobs.ts'
import type { FromSandbox, ToSandbox } from './messages.ts'
import type { SandboxProgram } from './program-arguments.ts'
import { type ProcessLimits, type SandboxProcess, startProcess } from './start-process.ts'

export interface SandboxOptions extends ProcessLimits {
  program: SandboxProgram
  /** Number of processes; a caller uses one of them at a time. */
  processes?: number
  /** Additional ones for short jobs (`short_ms`), which then never wait behind long ones; a caller uses one of these at a time, too. */
  forShort?: number
  /** Maximum waiting jobs per caller. */
  maxWaiting: number
  /** Maximum waiting jobs of all callers, for short ones and others separately. */
  maxWaitingInAll: number
  /** How long an idle process is kept. */
  idle_ms: number
  /** After this time at work a process isn't used again: so no job reaches the ceiling of processor time of a process. */
  maxLife_ms?: number
}

export interface Errand {
  job: unknown
  /** Time limit of the process itself; the time until questions are answered doesn't count. */
  longest_ms: number
  /**
   * Set for a job that should take no longer than this: it runs among the short ones and, if it takes longer after all, again among the
   * others.
   */
  short_ms?: number | undefined
  /**
   * Everything that determines the result: once a job with it is lost, further ones fail at once for some minutes. Omit it if the result
   * depends on answers.
   */
  content?: string
  /** Answers questions of the job. An exception ends the job. */
  answer?: ((question: unknown) => Promise<unknown>) | undefined
}

export interface Sandbox {
  /** Returns the result of the job. Throws `JobLost`, exceptions of `answer`, and as a fair queue does if too many jobs wait. */
  run: (whose: string, errand: Errand) => Promise<unknown>
}

/** The job took too much time or memory, or threw. */
export class JobLost extends Error {
  readonly isLate: boolean

  constructor(message: string, { isLate = false, ...options }: ErrorOptions & { isLate?: boolean } = {}) {
    super(message, options)
    this.isLate = isLate
  }
}

interface Started extends SandboxProcess {
  worked_ms: number
}

interface Idle {
  started: Started
  parting: NodeJS.Timeout
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const { processes = 1, forShort = 0, maxWaiting, maxWaitingInAll, idle_ms, maxLife_ms = 60_000 } = options
  const queue = createFairQueue({ maxWaiting, maxWaitingInAll, slots: processes })
  const shortQueue = forShort > 0 ? createFairQueue({ maxWaiting, maxWaitingInAll, slots: forShort }) : null
  const lost = lostJobs()
  const idle: Idle[] = []

  async function take(): Promise<Started> {
    const waiting = idle.pop()
    clearTimeout(waiting?.parting)
    if (waiting) return waiting.started
    const started = { ...(await startProcess(options.program, options)), worked_ms: 0 }
    // It may also end while nobody waits for it.
    started.onEnd(() => end(started))
    await started.hear(start_ms).catch((cause) => {
      end(started)
      throw new Error('a process of the sandbox has not started', { cause })
    })
    return started
  }

  function keep(started: Started): void {
    if (started.worked_ms >= maxLife_ms) end(started)
    else {
      started.keepAlive(false)
      idle.push({ started, parting: setTimeout(() => end(started), idle_ms).unref() })
    }
  }

  function end(started: Started): void {
    started.end()
    const at = idle.findIndex((one) => one.started === started)
    if (at >= 0) clearTimeout(idle.splice(at, 1)[0]?.parting)
  }

  async function runIn({ job, longest_ms, answer }: Errand, waive: Waive): Promise<unknown> {
    const asked = performance.now()
    const started = await take()
    // An aborted job ended its process, too; the next caller isn't charged for starting a new one.
    waive(performance.now() - asked)
    started.keepAlive(true)
    try {
      let next: ToSandbox = { job }
      for (let left_ms = longest_ms; ; ) {
        const began = performance.now()
        const message = await exchange(started, next, left_ms)
        const took_ms = performance.now() - began
        started.worked_ms += took_ms
        if ('made' in message) {
          keep(started)
          return message.made
        }
        left_ms = Math.max(1, left_ms - took_ms)
        next = { answer: 'question' in message ? await answer?.(message.question) : undefined }
      }
    } catch (error) {
      end(started)
      throw error
    }
  }

  function assertNotLost({ content }: Pick<Errand, 'content'>): void {
    if (content !== undefined && lost.has(content)) throw new JobLost('a job of the sandbox was given up before')
  }

  /**
   * Remembers a lost job before the next one begins, which may be identical.
   * @param short_ms set if the job will be tried again without it
   */
  async function runNew({ longest_ms, ...errand }: Errand, waive: Waive, short_ms?: number): Promise<unknown> {
    assertNotLost(errand)
    try {
      return await runIn({ ...errand, longest_ms: short_ms ?? longest_ms }, waive)
    } catch (error) {
      const isLost = error instanceof JobLost && !(error.isLate && short_ms !== undefined)
      if (isLost && errand.content !== undefined) lost.add(errand.content)
      throw error
    }
  }

  return {
    async run(whose, { short_ms, ...errand }) {
      assertNotLost(errand)
      if (shortQueue !== null && short_ms !== undefined) {
        try {
          return await shortQueue.run(whose, (waive) => runNew(errand, waive, short_ms))
        } catch (error) {
          if (!(error instanceof JobLost && error.isLate)) throw error
        }
      }
      return queue.run(whose, (waive) => runNew(errand, waive))
    },
  }
}

/** Time limit for a process to load its program: on a busy machine it takes seconds. */
const start_ms = 60_000

async function exchange(started: SandboxProcess, message: ToSandbox, longest_ms: number): Promise<FromSandbox> {
  try {
    started.send(message)
    const heard = await started.hear(longest_ms)
    if ('failure' in heard) throw new Error(heard.failure)
    return heard
  } catch (cause) {
    throw new JobLost('a job of the sandbox was given up', { cause, isLate: isAbort(cause) })
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'
