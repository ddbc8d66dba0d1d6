/** The lock on writing to SQLite that the primary gives to its workers, and a watchdog for workers that hang while they hold it. */
import type { Release } from '../limits/concurrency.ts'

interface Place {
  worker: number
  onLocked: () => void
  /** When it got the lock; null while it waits. */
  since_ms: number | null
}

export interface WriteLock {
  /** First come, first served. What is given back gives up the lock, or the place in the line for it. */
  acquire: (worker: number, onLocked: () => void) => Release
  /** Whoever has the lock while others wait for it; null when nobody does. */
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
  onHung: (worker: number) => void
}

/** A test of a hung worker shortens it before the program starts. */
export const patience = {
  look_ms: 1_000,
  /** No transaction holds the lock for so long without a reason. */
  held_ms: 10_000,
  /** A statement on very many rows keeps the event loop of its worker busy for a while, too. */
  silence_ms: 10_000,
}

/** Pings a worker that holds the lock for long while others wait. One that doesn't answer hangs, and so does every writer behind it. */
export function watchLock(lock: WriteLock, { ping, onHung }: WatchdogOptions): { onPong: (id: number) => void } {
  let pinged: { id: number; place: object; at_ms: number } | null = null
  let lastId = 0

  const look = () => {
    const found = lock.contended()
    if (!found || found.held_ms < patience.held_ms) {
      pinged = null
      return
    }
    if (pinged?.place !== found.place) {
      lastId += 1
      pinged = { id: lastId, place: found.place, at_ms: performance.now() }
      ping(found.worker, lastId)
    } else if (performance.now() - pinged.at_ms > patience.silence_ms) {
      pinged = null
      onHung(found.worker)
    }
  }
  setInterval(look, patience.look_ms).unref()
  return {
    onPong(id) {
      // Checked again at the next interval.
      if (pinged?.id === id) pinged = null
    },
  }
}
