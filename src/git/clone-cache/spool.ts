/** Bytes that go to a file as they come, and stay in memory where no file takes them. */
import type { FileHandle } from 'node:fs/promises'

export interface SpoolOptions {
  /** So many bytes or fewer get no file. */
  min_bytes: number
  /** Makes the file; null when there should be none. */
  open: () => Promise<FileHandle | null>
  /** The file holds everything, and is on disk. */
  keep: () => Promise<void>
  /** The file is of no use. */
  discard: () => Promise<void>
}

export interface Spool {
  /** How many bytes came so far. */
  readonly size: number
  /** How many of them are in memory. */
  readonly held_bytes: number
  /** Whether every byte from the first on is still there. It is until the file fails. */
  readonly isWhole: boolean
  append: (chunk: Buffer) => Promise<void>
  /** The bytes from `position` on, as many as come at once; null when there are none yet. */
  read: (position: number) => Promise<Buffer | null>
  /** Forgets what is in memory before `position`. */
  forgetBefore: (position: number) => void
  /** No more will come. */
  end: (succeeded: boolean) => Promise<void>
  close: () => Promise<void>
}

const read_bytes = 256 * 1024

export function openSpool({ min_bytes, open, keep, discard }: SpoolOptions): Spool {
  /** What the file doesn't hold: the bytes `from` to `size`. */
  let chunks: Buffer[] = []
  let from = 0
  let size = 0
  let file: FileHandle | null = null
  let isWhole = true

  const shift = () => {
    from += chunks.shift()?.length ?? 0
  }
  async function write(): Promise<void> {
    file ??= await open()
    isWhole = file !== null
    while (file && chunks[0]) {
      await writeWhole(file, chunks[0], from)
      shift()
    }
  }
  return {
    get size() {
      return size
    },
    get held_bytes() {
      return size - from
    },
    get isWhole() {
      return isWhole
    },
    async append(chunk) {
      chunks.push(chunk)
      size += chunk.length
      if (!isWhole || size <= min_bytes) return
      await write().catch(() => {
        isWhole = false
      })
    },
    async read(position) {
      if (file && position < from) {
        const length = Math.min(read_bytes, from - position)
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
        if (bytesRead === 0) throw new Error('the file of a spool was cut short')
        return buffer.subarray(0, bytesRead)
      }
      let start = from
      for (const chunk of chunks) {
        if (position < start + chunk.length) return chunk.subarray(position - start)
        start += chunk.length
      }
      return null
    },
    forgetBefore(position) {
      while (chunks[0] && from + chunks[0].length <= position) shift()
    },
    async end(succeeded) {
      isWhole = isWhole && succeeded
      if (!file) return
      // Without the flush a power cut could leave a file of the right name and the wrong bytes.
      if (isWhole) await file.datasync().then(keep).catch(discard)
      else await discard()
    },
    async close() {
      const open = file
      file = null
      chunks = []
      await open?.close().catch(() => {})
    },
  }
}

async function writeWhole(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at, position + at)
    at += bytesWritten
  }
}
