/** Files of a backup: written completely and flushed, or not at all; compressed lines of JSON; checksums. */
import { createHash } from 'node:crypto'
import { constants, createReadStream, createWriteStream, type ReadStream } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip, createGzip } from 'node:zlib'
import { syncFolder } from '../durable.ts'
import { StartRefused } from '../failure.ts'

export interface FileSum {
  /** In bytes. */
  size: number
  /** In hexadecimal. */
  sha256: string
}

const copy_bytes = 1024 * 1024

/** A pass-through that computes size and checksum. */
function summing(): { through: Transform; sum: () => FileSum } {
  const hash = createHash('sha256')
  let size = 0
  const through = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { through, sum: () => ({ size, sha256: hash.digest('hex') }) }
}

/** Stores a stream as a new file, flushed to disk. */
export async function writeStream(path: string, source: Readable, ...via: Transform[]): Promise<FileSum> {
  const { through, sum } = summing()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline([source, ...via, through, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: copy_bytes })])
  return sum()
}

/** As `writeStream`, for a small file. */
export async function writeText(path: string, text: string): Promise<FileSum> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true })
  return { size: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }
}

/** Opens a file of a generation for reading. Throws for links, devices and pipes, which lead elsewhere or never end. */
export async function openPlain(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? new StartRefused(`${path} is a symbolic link`, { cause: error }) : error
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new StartRefused(`${path} is no plain file`)
}

/** The bytes of a file of a generation. */
export async function readPlain(path: string): Promise<ReadStream> {
  return (await openPlain(path)).createReadStream({ highWaterMark: copy_bytes })
}

const maxSmall_bytes = 64 * 1024 * 1024

/** The text of a small file of a generation. */
export async function readPlainText(path: string): Promise<string> {
  const file = await openPlain(path)
  try {
    if ((await file.stat()).size > maxSmall_bytes) throw new StartRefused(`${path} is too large`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

export async function sumFile(path: string): Promise<FileSum> {
  const { through, sum } = summing()
  await pipeline(await readPlain(path), through, async (bytes: AsyncIterable<Buffer>) => {
    for await (const _ of bytes);
  })
  return sum()
}

/** Copies bytes rather than sharing blocks: shared blocks would be damaged together with the original. */
export async function copyFile(
  from: string,
  to: string,
  mode = 0o600,
  openSource: (path: string) => Promise<FileHandle> = open,
): Promise<number> {
  const source = await openSource(from)
  try {
    const { size } = await source.stat()
    await pipeline(
      createReadStream('', { fd: source, autoClose: false, highWaterMark: copy_bytes }),
      createWriteStream(to, { flags: 'wx', mode, flush: true, highWaterMark: copy_bytes }),
    )
    return size
  } finally {
    await source.close()
  }
}

/** Returns false if there is no regular file to link to, or the file system doesn't support (more) links; the caller copies then. */
export async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    if (!(await lstat(from)).isFile()) return false
    await link(from, to)
    return true
  } catch (error) {
    const { code } = error as { code?: string }
    if (/^(ENOENT|EXDEV|EPERM|EMLINK|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(code ?? '')) return false
    throw error
  }
}

/** Writes lines of JSON, compressed. */
export function writeLines(path: string, lines: AsyncIterable<unknown>): Promise<FileSum> {
  async function* text() {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`
  }
  return writeStream(path, Readable.from(text(), { highWaterMark: 64 }), createGzip())
}

/** No row is this long; a decompression bomb would otherwise fill the memory. */
const maxLine = 64 * 1024 * 1024

/** Reads the lines one by one. Fails for other files. */
export async function* readLines<T>(path: string): AsyncGenerator<T> {
  const source = await readPlain(path)
  const bytes = createGunzip()
  source.once('error', (error) => bytes.destroy(error))
  source.pipe(bytes)
  const decoder = new StringDecoder('utf8')
  /** Parts of the current incomplete line, joined once it is complete. */
  let parts: string[] = []
  let length = 0
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      const [first = '', ...others] = decoder.write(chunk).split('\n')
      parts.push(first)
      length += first.length
      if (length > maxLine) throw new Error(`${path} has a line of more than ${maxLine} characters`)
      const last = others.pop()
      if (last === undefined) continue
      for (const line of [parts.join(''), ...others]) yield JSON.parse(line) as T
      parts = [last]
      length = last.length
    }
  } finally {
    source.destroy()
  }
  if (length > 0) throw new Error(`${path} ends in the middle of a line`)
}

/** Flushes every folder at and below a path, whose files are already flushed. */
export async function flushFolders(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await flushFolders(join(path, entry.name))
  }
  await syncFolder(path)
}

/** Renamed first, so that an interrupted removal leaves nothing that looks complete. */
export async function removeFolder(path: string): Promise<void> {
  const going = path.endsWith(unfinished) ? path : `${path}${unfinished}`
  if (going !== path) await rename(path, going)
  await rm(going, { recursive: true, force: true, maxRetries: 3 })
}

/** Suffix of a folder that is being created or removed. */
export const unfinished = '.unfinished'

export async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  return found?.size ?? null
}

/** Processes several items concurrently, and yields results as they are ready. After an error it waits for the others and throws. */
export async function* inParallel<T, R>(items: AsyncIterable<T>, atOnce: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running = new Set<Promise<() => R>>()
  const start = (item: T) => {
    const one: Promise<() => R> = work(item).then((result) => () => {
      running.delete(one)
      return result
    })
    one.catch(() => {})
    running.add(one)
  }
  const next = async () => (await Promise.race(running))()
  try {
    for await (const item of items) {
      if (running.size >= atOnce) yield await next()
      start(item)
    }
    while (running.size > 0) yield await next()
  } finally {
    await Promise.allSettled(running)
  }
}

/** As `inParallel`, for work without results. */
export async function forEachOf<T>(items: AsyncIterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  for await (const _ of inParallel(items, atOnce, work));
}
