/** A reply of git that is stored while it arrives, and read by every client that sent the same request. */
import { clientGone, type GitChild } from '../process/run.ts'
import { openReplyFile, type ReplyFileOptions } from './reply-file.ts'

export interface SharedReply {
  /** Yields all bytes at the pace of the reader. Fails if git failed. Git is killed when the last reader leaves. */
  read: (signal?: AbortSignal) => AsyncGenerator<Buffer, void>
  /** Whether a new reader can still start at the first byte. */
  readonly isWhole: boolean
  finished: GitChild['finished']
  /** Settles when git has ended and the file, if any, was kept or discarded. */
  settled: Promise<void>
}

/** Limit of what is held in memory when there is no file to write to. */
const maxHeld_bytes = 1024 * 1024

/**
 * Git runs at its own pace, not at the pace of a client. If the file can't be created or written, for example because the disk is full, the
 * present readers continue from memory at the pace of the slowest, and no new readers can join.
 */
export function openReply(child: GitChild, options: ReplyFileOptions): SharedReply {
  const file = openReplyFile(options)
  const readers = new Set<{ at: number }>()
  const waiting = new Set<() => void>()
  let ended: { failure?: unknown } | null = null
  let kept = false

  const notify = () => {
    for (const resume of waiting) resume()
    waiting.clear()
  }
  const change = () => new Promise<void>((resolve) => waiting.add(resolve))
  const closeIfDone = async () => {
    if (kept && readers.size === 0) await file.close()
  }
  async function readChild(): Promise<void> {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      await file.append(chunk)
      notify()
      for (;;) {
        if (!file.isWhole) file.dropBefore(Math.min(file.size, ...[...readers].map(({ at }) => at)))
        if (file.isWhole || file.held_bytes <= maxHeld_bytes) break
        await change()
      }
    }
  }
  async function run(): Promise<void> {
    const failure = await readChild().then(
      () => undefined,
      (cause: unknown) => cause,
    )
    const succeeded = failure === undefined && (await exitCode(child)) === 0
    ended = failure === undefined ? {} : { failure }
    notify()
    await file.end(succeeded)
    kept = true
    await closeIfDone()
  }
  function removeReader(reader: { at: number }): void {
    if (!readers.delete(reader)) return
    if (readers.size === 0 && !ended) child.kill(clientGone())
    notify()
    void closeIfDone()
  }
  async function* chunksFor(reader: { at: number }): AsyncGenerator<Buffer, void> {
    try {
      while (readers.has(reader)) {
        const chunk = await file.read(reader.at)
        if (chunk) {
          reader.at += chunk.length
          // Other readers may be waiting for this one.
          notify()
          yield chunk
        } else if (!ended) await change()
        else if (ended.failure !== undefined) throw ended.failure
        else return
      }
    } finally {
      removeReader(reader)
    }
  }
  return {
    read(signal) {
      const reader = { at: 0 }
      readers.add(reader)
      signal?.addEventListener('abort', () => removeReader(reader), { once: true })
      if (signal?.aborted) removeReader(reader)
      return chunksFor(reader)
    },
    get isWhole() {
      return file.isWhole
    },
    finished: child.finished,
    settled: run(),
  }
}

/** -1 if git was killed or could not start. */
function exitCode({ finished }: GitChild): Promise<number> {
  return finished.then(
    ({ code }) => code,
    () => -1,
  )
}
