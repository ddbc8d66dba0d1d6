/** Bytes that are written to a file as they arrive, or held in memory if they can't be written. */
import type { FileHandle } from 'node:fs/promises'

export interface ReplyFileOptions {
  /** A file is created only for more bytes than this. */
  min_bytes: number
  /** Creates the file; null if there should be none. */
  open: () => Promise<FileHandle | null>
  /** Called when the file is complete and on disk. */
  keep: () => Promise<void>
  /** Called when the file is incomplete. */
  discard: () => Promise<void>
}

export interface ReplyFile {
  /** Bytes appended so far. */
  readonly size: number
  /** Bytes held in memory. */
  readonly held_bytes: number
  /** Whether all bytes from the first on can still be read; false once the file has failed. */
  readonly isWhole: boolean
  append: (chunk: Buffer) => Promise<void>
  /** The bytes from `position` on, up to the size of one read; null if there are none yet. */
  read: (position: number) => Promise<Buffer | null>
  /** Drops the bytes before `position` from memory. */
  dropBefore: (position: number) => void
  /** Ends the reply; nothing may be appended afterwards. */
  end: (succeeded: boolean) => Promise<void>
  close: () => Promise<void>
}

const read_bytes = 256 * 1024

export function openReplyFile({ min_bytes, open, keep, discard }: ReplyFileOptions): ReplyFile {
  /** The bytes `from` to `size`, which are not in the file. */
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
        if (bytesRead === 0) throw new Error('the file of a cached clone was truncated')
        return buffer.subarray(0, bytesRead)
      }
      let start = from
      for (const chunk of chunks) {
        if (position < start + chunk.length) return chunk.subarray(position - start)
        start += chunk.length
      }
      return null
    },
    dropBefore(position) {
      while (chunks[0] && from + chunks[0].length <= position) shift()
    },
    async end(succeeded) {
      isWhole = isWhole && succeeded
      if (!file) return
      // Without the flush, a power failure could leave a file with the right name and the wrong bytes.
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
