/** Temporary files for data too large for memory. They are unlinked at once, so none outlives its process. */
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createFolders } from '../durable.ts'
import { isStorageFull, storageFull } from '../failure.ts'
import type { Expected } from './checksum.ts'

export interface TempFile {
  /** In bytes. */
  readonly size: number
  append: (chunk: Buffer) => Promise<void>
  /** The content from byte `start` on. Closing the stream leaves the file open. */
  open: (start?: number) => Readable
  /** The size and checksum of everything appended. Nothing can be appended afterwards. */
  sum: () => Expected
  /** Removes the file. Safe to repeat. */
  close: () => Promise<void>
}

const atOnce_bytes = 256 * 1024

/** Inside the data folder, since the system's folder for temporary files may be small. */
export function tempFolder(home: string): string {
  return join(home, 'scratch')
}

/** @param home the data folder */
export async function openTempFile(home: string): Promise<TempFile> {
  const folder = tempFolder(home)
  await createFolders(folder, 0o700)
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx+', 0o600)
  // Unlinked while open: however this process ends, the system frees its bytes.
  await rm(path)
  const hash = createHash('sha256')
  let size = 0
  let sum: Expected | null = null
  let closed: Promise<void> | null = null
  return {
    get size() {
      return size
    },
    async append(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, at, chunk.length - at, size + at).catch((error: unknown) => {
          throw isStorageFull(error) ? storageFull(error) : error
        })
        at += bytesWritten
      }
      hash.update(chunk)
      size += chunk.length
    },
    open: (start = 0) => Readable.from(bytesFrom(file, start), { objectMode: false }),
    sum() {
      sum ??= { size, sha256: hash.digest('hex') }
      return sum
    },
    close() {
      closed ??= file.close()
      return closed
    },
  }
}

/** A stream of Node.js would close the file by its descriptor, which may belong to another file by then. */
async function* bytesFrom(file: FileHandle, start: number): AsyncGenerator<Buffer> {
  for (let at = start; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(atOnce_bytes), 0, atOnce_bytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Files have a name only for an instant, so an older one is not being created any more. */
const forgotten_ms = 60 * 60_000

/** Removes files of processes that were killed between creating and unlinking one. */
export async function removeForgotten(home: string): Promise<void> {
  const folder = tempFolder(home)
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found && Date.now() - found.mtimeMs > forgotten_ms) await rm(join(folder, name), { force: true })
  }
}
