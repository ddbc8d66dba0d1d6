/** Counts the cost of work in a way that doesn't depend on the speed of the machine. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitOptions } from '../../src/git/repository/repository.ts'

export interface Counts {
  statements: number
  processes: number
  /** Start of the measurement, by the clock of the file system; null outside of one. */
  from_ms: number | null
}

/** The default of the program. */
const fresh_ms = 50

/** No reader ends for being idle, and during a measurement refs that the work itself did not change are cached. */
export function settledRefs(counts: Counts): Pick<GitOptions, 'isFresh' | 'reader_idle_ms'> {
  return {
    reader_idle_ms: Number.POSITIVE_INFINITY,
    isFresh: (changed_ms) => changed_ms >= (counts.from_ms ?? Date.now() - fresh_ms),
  }
}

/** Waits until the clock of the file system, which has a resolution of some milliseconds, has advanced. Returns its time. */
export async function nextInstant(folder: string): Promise<number> {
  const probe = await mkdtemp(join(folder, 'instant-'))
  const now = async () => {
    const file = join(probe, 'file')
    await writeFile(file, 'now')
    return (await stat(file)).mtimeMs
  }
  const before = await now()
  for (let time = before; ; time = await now()) {
    if (time > before) {
      await rm(probe, { recursive: true })
      return time
    }
  }
}
