/** An answer of git that is kept while it is made, and read by everybody who asked for the same. */
import { clientGone, type GitChild } from '../process/run.ts'
import { openSpool, type SpoolOptions } from './spool.ts'

export interface Recording {
  /** From the first byte to the last, at the pace of whoever reads. Fails as git did. When nobody reads any more, git is ended. */
  read: (signal?: AbortSignal) => AsyncGenerator<Buffer, void>
  /** Whether somebody who comes now can still have it from its first byte. */
  readonly isWhole: boolean
  finished: GitChild['finished']
  /** Settles when git has ended and the file, where there is one, was kept or given up. */
  settled: Promise<void>
}

/** Most bytes in memory once no file takes them. */
const maxHeld_bytes = 1024 * 1024

/**
 * Git runs at its own pace and not at that of a client. Where the file can't be made or written, as on a full disk, those
 * who read go on together from memory, at the pace of the slowest, and nobody joins them.
 */
export function record(child: GitChild, options: SpoolOptions): Recording {
  const spool = openSpool(options)
  const readers = new Set<{ at: number }>()
  const waiting = new Set<() => void>()
  let ended: { failure?: unknown } | null = null
  let kept = false

  const wake = () => {
    for (const resume of waiting) resume()
    waiting.clear()
  }
  const change = () => new Promise<void>((resolve) => waiting.add(resolve))
  const closeIfDone = async () => {
    if (kept && readers.size === 0) await spool.close()
  }
  async function take(): Promise<void> {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      await spool.append(chunk)
      wake()
      for (;;) {
        if (!spool.isWhole) spool.forgetBefore(Math.min(spool.size, ...[...readers].map(({ at }) => at)))
        if (spool.isWhole || spool.held_bytes <= maxHeld_bytes) break
        await change()
      }
    }
  }
  async function run(): Promise<void> {
    const failure = await take().then(
      () => undefined,
      (cause: unknown) => cause,
    )
    const succeeded = failure === undefined && (await exitCode(child)) === 0
    ended = failure === undefined ? {} : { failure }
    wake()
    await spool.end(succeeded)
    kept = true
    await closeIfDone()
  }
  function leave(reader: { at: number }): void {
    if (!readers.delete(reader)) return
    if (readers.size === 0 && !ended) child.kill(clientGone())
    wake()
    void closeIfDone()
  }
  async function* chunksFor(reader: { at: number }): AsyncGenerator<Buffer, void> {
    try {
      while (readers.has(reader)) {
        const chunk = await spool.read(reader.at)
        if (chunk) {
          reader.at += chunk.length
          // What it has no longer holds up the others.
          wake()
          yield chunk
        } else if (!ended) await change()
        else if (ended.failure !== undefined) throw ended.failure
        else return
      }
    } finally {
      leave(reader)
    }
  }
  return {
    read(signal) {
      const reader = { at: 0 }
      readers.add(reader)
      signal?.addEventListener('abort', () => leave(reader), { once: true })
      if (signal?.aborted) leave(reader)
      return chunksFor(reader)
    },
    get isWhole() {
      return spool.isWhole
    },
    finished: child.finished,
    settled: run(),
  }
}

/** -1 for a git that was killed or could not start. */
function exitCode({ finished }: GitChild): Promise<number> {
  return finished.then(
    ({ code }) => code,
    () => -1,
  )
}
