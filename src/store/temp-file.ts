/**
 * Temporary files for data too large for memory. They are unlinked at once, so none outlives its process; but for drafts, which have a
 * name, so that the store can make an object of one by giving it another.
 */
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
  /** Null for a file without a name. */
  readonly path: string | null
  append: (chunk: Buffer) => Promise<void>
  /** The content from byte `start` on. Closing the stream leaves the file open. */
  open: (start?: number) => Readable
  /** The size and checksum of everything appended. Nothing can be appended afterwards. */
  sum: () => Expected
  /** Puts everything appended on the disk. */
  flush: () => Promise<void>
  /** Removes the file, unless it has another name by now. Safe to repeat. */
  close: () => Promise<void>
}

const atOnce_bytes = 256 * 1024

/** Inside the data folder, since the system's folder for temporary files may be small. */
export function tempFolder(home: string): string {
  return join(home, 'scratch')
}

/** @param home the data folder */
export async function openTempFile(home: string): Promise<TempFile> {
  const { path, file } = await create(tempFolder(home))
  // Unlinked while open: however this process ends, the system frees its bytes.
  await rm(path)
  return over(file, null)
}

/** A file with a name in `folder`, until it is closed. What a killed process leaves of it is removed by `removeForgotten`. */
export async function openDraft(folder: string): Promise<TempFile> {
  const { path, file } = await create(folder)
  return over(file, path)
}

async function create(folder: string): Promise<{ path: string; file: FileHandle }> {
  await createFolders(folder, 0o700)
  const path = join(folder, randomUUID())
  return { path, file: await open(path, 'wx+', 0o600) }
}

function over(file: FileHandle, path: string | null): TempFile {
  const hash = createHash('sha256')
  let size = 0
  let sum: Expected | null = null
  let closed: Promise<void> | null = null

  async function write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, at, chunk.length - at, size + at)
      at += bytesWritten
    }
  }

  return {
    path,
    get size() {
      return size
    },
    async append(chunk) {
      const written = write(chunk).catch(throwOwn)
      // While it is written.
      hash.update(chunk)
      await written
      size += chunk.length
    },
    open: (start = 0) => Readable.from(bytesFrom(file, start), { objectMode: false }),
    sum() {
      sum ??= { size, sha256: hash.digest('hex') }
      return sum
    },
    flush: () => file.sync().catch(throwOwn),
    close() {
      closed ??= Promise.all([file.close(), path && rm(path, { force: true })]).then(() => {})
      return closed
    },
  }
}

function throwOwn(error: unknown): never {
  throw isStorageFull(error) ? storageFull(error) : error
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

/** Longer than a file is written to and then stored. */
const forgotten_ms = 12 * 60 * 60_000

/** Removes files with a name in `folder` that killed processes have left. */
export async function removeForgotten(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found && Date.now() - found.mtimeMs > forgotten_ms) await rm(join(folder, name), { force: true })
  }
}
