/**
 * The SQLite write lock that the primary gives to its workers, and a watchdog for workers that hang while they hold it. A worker that
 * neither answers nor uses the processor hangs; one that is busy has minutes. A heartbeat from a second thread would continue even while
 * the main thread hangs.
 */
import type { Release } from '../limits/concurrency.ts'

interface Place {
  worker: number
  onLocked: () => void
  /** When it got the lock; null while it waits. */
  since_ms: number | null
}

export interface WriteLock {
  /** First come, first served. The returned function releases the lock, or leaves the queue. */
  acquire: (worker: number, onLocked: () => void) => Release
  /** The holder of the lock while others wait for it; null otherwise. */
  contended: () => { place: object; worker: number; held_ms: number } | null
}

export function openWriteLock(): WriteLock {
  const line: Place[] = []
  const grant = (place: Place | undefined) => {
    if (!place) return
    place.since_ms = performance.now()
    place.onLocked()
  }
  return {
    acquire(worker, onLocked) {
      const place: Place = { worker, onLocked, since_ms: null }
      line.push(place)
      if (line.length === 1) grant(place)
      return () => {
        const index = line.indexOf(place)
        if (index < 0) return
        line.splice(index, 1)
        if (index === 0) grant(line[0])
      }
    },
    contended() {
      const [holder] = line
      if (!holder || line.every(({ worker }) => worker === holder.worker)) return null
      return { place: holder, worker: holder.worker, held_ms: performance.now() - (holder.since_ms ?? 0) }
    },
  }
}

export interface WatchdogOptions {
  ping: (worker: number, id: number) => void
  /** Processor time that the worker has used, in milliseconds; null if unknown. */
  usedCpu_ms: (worker: number) => number | null
  onHung: (worker: number) => void
}

interface Ping {
  id: number
  place: object
  /** When the ping was sent, and since when the worker has made no progress. */
  sent_ms: number
  idle_since_ms: number
  cpu_ms: number | null
}

const look_ms = 1_000
/** A transaction that holds the lock for longer is suspicious. */
const maxHeld_ms = 10_000
/** Without an answer and without progress, the worker is suspended, or waits for something that doesn't happen. */
const maxSilence_ms = 10_000
/** A statement on millions of rows answers no ping but uses processor time. So does an endless loop, hence the limit. */
const maxBusy_ms = 10 * 60_000
/** Less processor time than this within `maxSilence_ms` is no progress. */
const minProgress_ms = 50

/**
 * Pings a worker that holds the lock for long while others wait. A transaction of many statements answers between them
 * (`db/sqlite-driver.ts`). A worker that neither answers nor works hangs, and blocks every writer behind it.
 */
export function watchLock(lock: WriteLock, { ping, usedCpu_ms, onHung }: WatchdogOptions): { onPong: (id: number) => void } {
  let pinged: Ping | null = null
  let lastId = 0

  function send({ place, worker }: { place: object; worker: number }): void {
    lastId += 1
    const now = performance.now()
    pinged = { id: lastId, place, sent_ms: now, idle_since_ms: now, cpu_ms: usedCpu_ms(worker) }
    ping(worker, lastId)
  }

  /** Whether the worker has used the processor since the last check, though it doesn't answer. */
  function isWorking(unanswered: Ping, worker: number): boolean {
    const cpu_ms = usedCpu_ms(worker)
    const progress_ms = (cpu_ms ?? 0) - (unanswered.cpu_ms ?? 0)
    unanswered.idle_since_ms = performance.now()
    unanswered.cpu_ms = cpu_ms
    return progress_ms >= minProgress_ms && performance.now() - unanswered.sent_ms < maxBusy_ms
  }

  const look = () => {
    const found = lock.contended()
    if (!found || found.held_ms < maxHeld_ms) {
      pinged = null
      return
    }
    if (pinged?.place !== found.place) return send(found)
    if (performance.now() - pinged.idle_since_ms <= maxSilence_ms || isWorking(pinged, found.worker)) return
    pinged = null
    onHung(found.worker)
  }
  setInterval(look, look_ms).unref()
  return {
    onPong(id) {
      // Checked again at the next interval.
      if (pinged?.id === id) pinged = null
    },
  }
}
