/** What work costs, counted so that the same work costs the same on a slow machine as on a quick one. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitOptions } from '../../src/git/repository/repository.ts'

export interface Counts {
  statements: number
  processes: number
  /** Since when work is measured, by the clock of the file system; null while none is. */
  from_ms: number | null
}

/** As the program judges by default. */
const fresh_ms = 50

/** No reader ends for being idle, and while work is measured the refs that it did not change itself are cached. */
export function settledRefs(counts: Counts): Pick<GitOptions, 'isFresh' | 'reader_idle_ms'> {
  return {
    reader_idle_ms: Number.POSITIVE_INFINITY,
    isFresh: (changed_ms) => changed_ms >= (counts.from_ms ?? Date.now() - fresh_ms),
  }
}

/** Waits until the clock of the file system, which stands still for some milliseconds, has gone on. Gives its time. */
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
