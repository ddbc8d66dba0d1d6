/**
 * Worker threads that process texts of users: the process stays responsive meanwhile, and work that doesn't end or takes too much memory is
 * aborted. Short Markdown has a separate thread, since otherwise a few hostile pages could occupy all threads. A process per job would take
 * 40 ms and 40 MB each. Turns are given by time used, not by number of jobs: a comment takes a millisecond, a hostile page two seconds.
 * Node.js 20 doesn't report the processor time of a thread, so deadlines are in elapsed time.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createFairQueue, type Waive } from '../limits/fair-queue.ts'
import { lostJobs } from './lost-jobs.ts'
import type { FromThread, ToThread } from './messages.ts'
import { type ThreadProgram, threadFile } from './thread-file.ts'

export interface ThreadOptions {
  program: ThreadProgram
  /** Number of threads; a caller uses one of them at a time. */
  threads?: number
  /** Additional threads for short jobs (`short_ms`), which then never wait behind long ones; a caller uses one of these at a time, too. */
  shortThreads?: number
  /** Maximum waiting jobs per caller. */
  maxWaiting: number
  /** Maximum waiting jobs of all callers, for short ones and others separately. */
  maxWaitingInAll: number
  max_mb: number
  /** For short-lived objects: a larger limit would only make the process larger. */
  maxYoung_mb?: number
  /** How long an idle thread is kept. */
  idle_ms: number
}

export interface Errand {
  job: unknown
  /** Time limit of the thread itself; the time until questions are answered doesn't count. */
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

export interface Threads {
  /** Returns the result of the job. Throws `ThreadLost`, exceptions of `answer`, and as a fair queue does if too many jobs wait. */
  run: (whose: string, errand: Errand) => Promise<unknown>
}

/** The job took too much time or memory, or threw. */
export class ThreadLost extends Error {
  readonly isLate: boolean

  constructor(message: string, { isLate = false, ...options }: ErrorOptions & { isLate?: boolean } = {}) {
    super(message, options)
    this.isLate = isLate
  }
}

interface Idle {
  thread: Worker
  parting: NodeJS.Timeout
}

export function openThreads({ threads = 1, shortThreads = 0, maxWaiting, maxWaitingInAll, idle_ms, ...options }: ThreadOptions): Threads {
  const queue = createFairQueue({ maxWaiting, maxWaitingInAll, slots: threads })
  const shortQueue = shortThreads > 0 ? createFairQueue({ maxWaiting, maxWaitingInAll, slots: shortThreads }) : null
  const lost = lostJobs()
  const idle: Idle[] = []

  async function take(): Promise<Worker> {
    const waiting = idle.pop()
    clearTimeout(waiting?.parting)
    if (waiting) return waiting.thread
    const started = await startThread(options)
    // The thread may also fail while nobody waits for it.
    started.on('error', () => end(started))
    await hear(started, start_ms).catch((cause) => {
      end(started)
      throw new Error('a worker thread has not started', { cause })
    })
    return started
  }

  function keep(thread: Worker): void {
    thread.unref()
    idle.push({ thread, parting: setTimeout(() => end(thread), idle_ms).unref() })
  }

  function end(thread: Worker): void {
    void thread.terminate()
    const at = idle.findIndex((one) => one.thread === thread)
    if (at >= 0) idle.splice(at, 1)
  }

  async function runIn({ job, longest_ms, answer }: Errand, waive: Waive): Promise<unknown> {
    const asked = performance.now()
    const thread = await take()
    // An aborted job ended the thread, too; the next caller isn't charged for starting a new one.
    waive(performance.now() - asked)
    thread.ref()
    try {
      let next: ToThread = { job }
      for (let left_ms = longest_ms; ; ) {
        const began = performance.now()
        const message = await exchange(thread, next, left_ms)
        if ('made' in message) {
          keep(thread)
          return message.made
        }
        left_ms = Math.max(1, left_ms - (performance.now() - began))
        next = { answer: 'question' in message ? await answer?.(message.question) : undefined }
      }
    } catch (error) {
      end(thread)
      throw error
    }
  }

  function assertNotLost({ content }: Pick<Errand, 'content'>): void {
    if (content !== undefined && lost.has(content)) throw new ThreadLost('a job of a worker thread was given up before')
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
      const isLost = error instanceof ThreadLost && !(error.isLate && short_ms !== undefined)
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
          if (!(error instanceof ThreadLost && error.isLate)) throw error
        }
      }
      return queue.run(whose, (waive) => runNew(errand, waive))
    },
  }
}

/** Time limit for a thread to load its program: on a busy machine it takes seconds. */
const start_ms = 60_000

async function exchange(thread: Worker, message: ToThread, longest_ms: number): Promise<FromThread> {
  try {
    thread.postMessage(message)
    return await hear(thread, longest_ms)
  } catch (cause) {
    throw new ThreadLost('a job of a worker thread was given up', { cause, isLate: isAbort(cause) })
  }
}

async function hear(thread: Worker, longest_ms: number): Promise<FromThread> {
  const late = new AbortController()
  // A result that arrived while the event loop was blocked is read before the deadline counts.
  const timer = setTimeout(() => setImmediate(() => late.abort()), Math.ceil(longest_ms))
  try {
    const [heard] = await once(thread, 'message', { signal: late.signal })
    return heard as FromThread
  } finally {
    clearTimeout(timer)
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

async function startThread({ program, max_mb, maxYoung_mb }: Pick<ThreadOptions, 'program' | 'max_mb' | 'maxYoung_mb'>): Promise<Worker> {
  const resourceLimits = { maxOldGenerationSizeMb: max_mb, ...(maxYoung_mb && { maxYoungGenerationSizeMb: maxYoung_mb }) }
  const { file, ...options } = await threadFile(program)
  return new Worker(file, { ...options, resourceLimits })
}
