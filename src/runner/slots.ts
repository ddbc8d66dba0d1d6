/** Numbers of concurrent jobs: limited in total; for each project, the lowest free number. */

export interface Slots {
  /** Waits for a free number; null once the signal aborts. */
  take(signal: AbortSignal): Promise<number | null>
  free(slot: number): void
  takeOf(project: string): number
  freeOf(project: string, slot: number): void
  /** Resolves when no number is taken. */
  whenIdle(): Promise<void>
}

export function openSlots(count: number): Slots {
  const taken = new Set<number>()
  const projects = new Map<string, Set<number>>()
  let waiting: (() => void)[] = []
  const changed = () => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  const nextChange = (signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      waiting.push(wake)
      signal?.addEventListener('abort', wake)
    })
  return {
    async take(signal) {
      while (!signal.aborted) {
        const slot = lowestFree(taken)
        if (slot < count) {
          taken.add(slot)
          return slot
        }
        await nextChange(signal)
      }
      return null
    },
    free(slot) {
      taken.delete(slot)
      changed()
    },
    takeOf(project) {
      const used = projects.get(project) ?? new Set()
      projects.set(project, used)
      const slot = lowestFree(used)
      used.add(slot)
      return slot
    },
    freeOf(project, slot) {
      projects.get(project)?.delete(slot)
    },
    async whenIdle() {
      while (taken.size > 0) await nextChange()
    },
  }
}

function lowestFree(used: Set<number>): number {
  let slot = 0
  while (used.has(slot)) slot++
  return slot
}
