/** Limiter of costly git commands: at most N run at once, the others wait, and callers are served in rotation. */
import { Failure } from '../../failure.ts'
import { clientGone } from './run.ts'

/** On whose behalf work is done. */
export interface OnBehalf {
  /** Key by which requests are counted per caller; absent for the server itself. */
  caller?: string | undefined
  /** Aborts when the client no longer waits for the answer. */
  signal?: AbortSignal | undefined
}

export interface Limiter {
  /**
   * Runs the work when a slot is free. Throws without running it: `too_many_at_once` if too many requests of this caller wait, `busy` if
   * too many wait in total, `client_gone` if the caller leaves while waiting.
   */
  run: <T>(on: OnBehalf, work: () => Promise<T>) => Promise<T>
  /** Number of waiting requests. */
  readonly waiting: number
}

export interface LimiterOptions {
  /** Maximum number of concurrent commands. */
  max_running: number
  max_waiting: number
  max_waiting_per_caller: number
}

const theServer = ''

export function limiter({ max_running, max_waiting, max_waiting_per_caller }: LimiterOptions): Limiter {
  /** A queue for each waiting caller. The first entry is served next, and moves to the end while more requests of that caller wait. */
  const queues = new Map<string, Array<() => void>>()
  let running = 0
  let waiting = 0

  function serveNext(): void {
    const [first] = queues
    if (!first) {
      running -= 1
      return
    }
    const [caller, queue] = first
    const admit = queue.shift()
    queues.delete(caller)
    if (queue.length > 0) queues.set(caller, queue)
    waiting -= 1
    // The slot is passed on directly, so no newcomer can overtake those who wait.
    admit?.()
  }
  function wait({ caller = theServer, signal }: OnBehalf): Promise<void> {
    const queue = queues.get(caller) ?? []
    if (queue.length >= max_waiting_per_caller)
      throw new Failure('too_many_at_once', '429 Too many costly requests of yours are under way; try again later')
    if (waiting >= max_waiting) throw new Failure('busy', '503 Too many costly requests are under way; try again later')
    queues.set(caller, queue)
    waiting += 1
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        queue.splice(queue.indexOf(admit), 1)
        if (queue.length === 0) queues.delete(caller)
        waiting -= 1
        reject(clientGone())
      }
      queue.push(admit)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }
  return {
    async run(on, work) {
      if (on.signal?.aborted) throw clientGone()
      if (running >= max_running) await wait(on)
      else running += 1
      try {
        return await work()
      } finally {
        serveNext()
      }
    },
    get waiting() {
      return waiting
    },
  }
}
