/**
 * Worker threads for what users wrote: the process goes on meanwhile, and what has no end, or takes too much memory, is given up.
 *
 * Short Markdown has a thread of its own; several threads that take anything would all be held by as many hostile pages. A process for each job
 * would cost 40 ms and 40 MB each time. Turns go by time used and not by a count of jobs: a comment takes a millisecond, a hostile page two
 * seconds. Node.js 20 does not tell the processor time of a thread, so deadlines are in elapsed time.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createFairQueue, type Waive } from '../limits/fair-queue.ts'
import { lostJobs } from './lost-jobs.ts'
import type { FromThread, ToThread } from './messages.ts'
import { type ThreadProgram, threadFile } from './thread-file.ts'

export interface ThreadOptions {
  program: ThreadProgram
  /** Threads at once; a caller has one of them. */
  threads?: number
  /** Threads besides these for short jobs (`short_ms`), which then never wait behind long ones; a caller has one of them, too. */
  shortThreads?: number
  /** Jobs of one caller that may wait. */
  maxWaiting: number
  /** Jobs of all callers together that may wait, short ones and others each. */
  maxWaitingInAll: number
  max_mb: number
  /** What is short-lived: more would only make the process larger. */
  maxYoung_mb?: number
  /** How long a thread stays when nobody wants it. */
  idle_ms: number
}

export interface Errand {
  job: unknown
  /** What the thread itself may take; the time until it is answered doesn't count. */
  longest_ms: number
  /** Of a job that should take no longer than this: it runs among the short ones, and where it does take longer, again among the others. */
  short_ms?: number | undefined
  /** All that the job is made of: once it is lost, it is lost at once for some minutes. Not given where it depends on answers. */
  content?: string
  /** Answers what the job asks. What it throws ends the job. */
  answer?: ((question: unknown) => Promise<unknown>) | undefined
}

export interface Threads {
  /** What the job makes. Throws `ThreadLost`, what `answer` throws, and as a fair queue does when too many jobs wait. */
  run: (whose: string, errand: Errand) => Promise<unknown>
}

/** The job took too long or too much memory, or threw. */
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
    // It may fail while nobody waits for it, too.
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
    // Whoever was given up took the thread along. That there is none is not the fault of who comes next.
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
   * Remembers the job where it is lost, before the next begins: that may be the same.
   * @param short_ms given where it has another chance after that
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

/** What a thread may take to load its program: on a machine that does much else it takes seconds. */
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
  // An answer that came while something else held the process is read before it is too late.
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
