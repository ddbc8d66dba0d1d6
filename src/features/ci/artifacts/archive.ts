/** Reads the directory or a single file of an untrusted archive in the object store, without reading all of it. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl'
import type { App } from '../../../app.ts'
import type { CiArtifact } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'

export interface ArchivedFile {
  path: string
  /** According to the archive; no more than this is read. */
  size: number
  is_folder: boolean
}

type Stored = Pick<CiArtifact, 'store_key' | 'size'>

/** Bytes of the directory that are read at once. */
const block_bytes = 256 * 1024
/** Further entries are ignored. */
const maxEntries = 100_000
/** No file system takes longer paths: such entries are ignored. */
const maxPath_bytes = 4_096
/** Further entries are not listed. */
const maxListed_bytes = 8 * 1024 * 1024
/** A larger file in an archive is not extracted. */
const maxFile_bytes = 2 * 1024 ** 3

/** Reads of the directory are small and numerous, so they are served from blocks. */
class StoredReader extends RandomAccessReader {
  readonly #app: App
  readonly #stored: Stored
  #start = 0
  #block: Buffer = Buffer.alloc(0)

  constructor(app: App, stored: Stored) {
    super()
    this.#app = app
    this.#stored = stored
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false })
  }

  override read(target: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void): void {
    this.#load(position, length).then(
      () => {
        const at = position - this.#start
        this.#block.copy(target, offset, at, at + length)
        done(null)
      },
      (error: Error) => done(error),
    )
  }

  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    if (end > start) yield* (await this.#app.store.open(this.#stored.store_key, { start, end: end - 1 })) as AsyncIterable<Buffer>
  }

  async #load(position: number, length: number): Promise<void> {
    if (position < 0 || position + length > this.#stored.size) throw new Error('outside of the archive')
    if (position >= this.#start && position + length <= this.#start + this.#block.length) return
    const end = Math.min(this.#stored.size, position + Math.max(length, block_bytes))
    this.#block = await buffer(Readable.from(this.#range(position, end), { objectMode: false }))
    this.#start = position
  }
}

/** The entries of the archive, as far as they are listed. Links and names that lead outside are left out. Throws 422 if it isn't an archive. */
export async function listArchive(app: App, stored: Stored): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = []
  let left_bytes = maxListed_bytes
  await walk(app, stored, (entry, path) => {
    left_bytes -= path.length
    if (left_bytes >= 0) files.push({ path, size: entry.uncompressedSize, is_folder: path.endsWith('/') })
    return left_bytes < 0
  })
  return files
}

/** Extracts one file of the archive as a stream; null if there is no such file. If a name occurs twice, the first counts. */
export async function openArchived(
  app: App,
  stored: Stored,
  path: string,
): Promise<{ size: number; open: () => Promise<Readable> } | null> {
  const found = await walk(app, stored, (_, name) => name === path && !name.endsWith('/'))
  if (!found) return null
  const { zip, entry } = found
  if (entry.isEncrypted() || !entry.canDecodeFileData()) throw new Failure('unprocessable', '422 The file can not be unpacked')
  if (entry.uncompressedSize > maxFile_bytes) throw new Failure('too_large', '413 The file is too large to be unpacked')
  return {
    size: entry.uncompressedSize,
    async open() {
      const parts = unpacked(await streamOf(zip, entry))
      // Read before answering, so that a corrupt file is rejected with a status.
      const first = await parts.next()
      return first.done ? Readable.from([]) : Readable.from(joined(first.value, parts), { objectMode: false })
    },
  }
}

function streamOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => zip.openReadStream(entry, (error, stream) => (error ? reject(broken(error)) : resolve(stream))))
}

async function* unpacked(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>
  } catch (error) {
    throw broken(error as Error)
  }
}

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

/** Calls `visit` with each file until it returns true. */
async function walk(
  app: App,
  stored: Stored,
  visit: (entry: Entry, path: string) => boolean,
): Promise<{ zip: ZipFile; entry: Entry } | null> {
  const zip = await open(app, stored)
  return new Promise((resolve, reject) => {
    let seen = 0
    zip.on('error', (error: Error) => reject(broken(error)))
    zip.on('end', () => resolve(null))
    zip.on('entry', (entry: Entry) => {
      seen += 1
      const name = entry.fileNameRaw ?? Buffer.from(entry.fileName)
      const path = name.length > maxPath_bytes ? '' : name.toString('utf8')
      if (isPlain(entry, path) && visit(entry, path)) return resolve({ zip, entry })
      if (seen >= maxEntries) return resolve(null)
      // Avoids recursion: all entries of one block are read synchronously.
      setImmediate(() => zip.readEntry())
    })
    zip.readEntry()
  })
}

function open(app: App, stored: Stored): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true }
  return new Promise((resolve, reject) =>
    fromRandomAccessReader(new StoredReader(app, stored), stored.size, options, (error, zip) =>
      error ? reject(broken(error)) : resolve(zip),
    ),
  )
}

const kind_mask = 0o170000
const link = 0o120000

function isPlain(entry: Entry, path: string): boolean {
  if (path === '' || path.startsWith('/') || path.includes('\0') || path.includes('\\') || path.includes('\ufffd')) return false
  if (/^[a-z]:/i.test(path) || path.split('/').includes('..')) return false
  return ((entry.externalFileAttributes >>> 16) & kind_mask) !== link
}

/** Failures of our own, for example of the store, are kept. */
function broken(error: Error): Error {
  const isOurs = error instanceof Failure || (error as NodeJS.ErrnoException).syscall !== undefined
  return isOurs ? error : new Failure('unprocessable', '422 The archive can not be read', { cause: error })
}
