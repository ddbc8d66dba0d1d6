/** Worker threads for what users wrote: the process goes on meanwhile, and what has no end, or takes too much memory, is given up. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createFairQueue } from '../limits/fair-queue.ts'
import { runsFromSource } from '../main-file.ts'
import type { FromThread, ToThread } from './messages.ts'

export interface ThreadOptions {
  /** The program in the sources, and its name beside the program that is shipped (`tools/build-program.mjs`). */
  program: { source: URL; shipped: string }
  /** Threads at once; a caller has one of them. */
  threads?: number
  /** Jobs of one caller that may wait. */
  maxWaiting: number
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
  /** Answers what the job asks. What it throws ends the job. */
  answer?: ((question: unknown) => Promise<unknown>) | undefined
}

export interface Threads {
  /** What the job makes. Throws `ThreadLost`, what `answer` throws, and `too_many` when too many jobs of this caller wait. */
  run: (whose: string, errand: Errand) => Promise<unknown>
}

/** The job took too long or too much memory, or threw. */
export class ThreadLost extends Error {}

interface Idle {
  thread: Worker
  parting: NodeJS.Timeout
}

export function openThreads({ threads = 1, maxWaiting, idle_ms, ...options }: ThreadOptions): Threads {
  const queue = createFairQueue({ maxWaiting, slots: threads })
  const idle: Idle[] = []

  function take(): Worker {
    const waiting = idle.pop()
    clearTimeout(waiting?.parting)
    if (waiting) return waiting.thread
    const started = startThread(options)
    // It may fail while nobody waits for it, too.
    return started.on('error', () => end(started))
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

  async function runIn({ job, longest_ms, answer }: Errand): Promise<unknown> {
    const thread = take()
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
        next = { answer: await answer?.(message.question) }
      }
    } catch (error) {
      end(thread)
      throw error
    }
  }

  return { run: (whose, errand) => queue.run(whose, () => runIn(errand)) }
}

async function exchange(thread: Worker, message: ToThread, longest_ms: number): Promise<FromThread> {
  try {
    thread.postMessage(message)
    const [heard] = await once(thread, 'message', { signal: AbortSignal.timeout(Math.ceil(longest_ms)) })
    return heard as FromThread
  } catch (cause) {
    throw new ThreadLost('a job of a worker thread was given up', { cause })
  }
}

function startThread({ program, max_mb, maxYoung_mb }: Pick<ThreadOptions, 'program' | 'max_mb' | 'maxYoung_mb'>): Worker {
  const options = { resourceLimits: { maxOldGenerationSizeMb: max_mb, ...(maxYoung_mb && { maxYoungGenerationSizeMb: maxYoung_mb }) } }
  if (!runsFromSource) return new Worker(new URL(program.shipped, import.meta.url), options)
  return new Worker(fromSource(program.source), { ...options, eval: true })
}

/** The TypeScript loader of this thread doesn't apply to others: each worker thread registers its own. */
function fromSource(program: URL): string {
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const file = JSON.stringify(fileURLToPath(program))
  return `require(${JSON.stringify(loader)}).require(${file}, ${file})`
}
