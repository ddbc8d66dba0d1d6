/** Extracts an archive into a job's folder. Nothing is written outside of it, whatever the archive or the folder contains. */
import { createWriteStream } from 'node:fs'
import { chmod, lstat, mkdir, rm, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, open, type ZipFile } from 'yauzl'

export interface ExtractLimits {
  max_entries: number
  max_bytes: number
}

export const extractLimits: ExtractLimits = { max_entries: 1_000_000, max_bytes: 20 * 1024 ** 3 }
const maxLink_bytes = 4096

/** Returns the number of extracted entries, and the names of rejected ones. */
export async function unzip(file: string, root: string, limits = extractLimits): Promise<{ count: number; refused: string[] }> {
  const zip = await openZip(file)
  const refused: string[] = []
  let count = 0
  let bytes = 0
  try {
    if (zip.entryCount > limits.max_entries) throw new Error(`the archive has more than ${limits.max_entries} entries`)
    for await (const entry of entriesOf(zip)) {
      bytes += entry.uncompressedSize
      if (bytes > limits.max_bytes) throw new Error(`the archive holds more than ${limits.max_bytes} bytes`)
      if (await extract(zip, entry, root)) count++
      else refused.push(entry.fileName)
    }
  } finally {
    zip.close()
  }
  return { count, refused }
}

function openZip(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // Sizes are checked while reading: an entry can't be longer than it claims.
    open(file, { lazyEntries: true, autoClose: false }, (error, zip) => (error ? reject(error) : resolve(zip)))
  })
}

/** The library itself rejects names that leave the folder. */
async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) => {
      const settle = (value: Entry | null, error?: Error) => {
        zip.removeAllListeners('entry').removeAllListeners('end').removeAllListeners('error')
        if (error) reject(error)
        else resolve(value)
      }
      zip.once('entry', (found: Entry) => settle(found))
      zip.once('end', () => settle(null))
      zip.once('error', (error: Error) => settle(null, error))
      zip.readEntry()
    })
    if (entry === null) return
    yield entry
  }
}

/** False for what can't be extracted: below a link or a file, or in git's own folder. */
async function extract(zip: ZipFile, entry: Entry, root: string): Promise<boolean> {
  const segments = entry.fileName.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.length === 0 || segments[0]?.toLowerCase() === '.git' || entry.fileName.includes('\\')) return false
  const isFolder = entry.fileName.endsWith('/')
  const folders = isFolder ? segments : segments.slice(0, -1)
  if (!(await makeFolders(root, folders))) return false
  const mode = entry.externalFileAttributes >>> 16
  const target = join(root, ...segments)
  if (isFolder) {
    await chmod(target, (mode & 0o777) | 0o700)
    return true
  }
  const before = await lstat(target).catch(() => null)
  if (before?.isDirectory()) return false
  await rm(target, { force: true })
  const content = await contentOf(zip, entry)
  if ((mode & 0o170000) === 0o120000) {
    await symlink(await readLink(content), target)
    return true
  }
  // `wx` creates a new file and follows no link.
  await pipeline(content, createWriteStream(target, { flags: 'wx', mode: mode & 0o777 || 0o644 }))
  await chmod(target, mode & 0o777 || 0o644)
  const changed = entry.getLastModDate()
  await utimes(target, changed, changed)
  return true
}

/** Creates the missing folders. Returns false if one of them is something else. */
async function makeFolders(root: string, segments: string[]): Promise<boolean> {
  let at = root
  for (const segment of segments) {
    at = join(at, segment)
    const stats = await lstat(at).catch(() => null)
    if (stats === null) await mkdir(at, 0o755)
    else if (!stats.isDirectory()) return false
  }
  return true
}

function contentOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
}

async function readLink(content: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxLink_bytes) throw new Error('the archive has a symbolic link that is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
