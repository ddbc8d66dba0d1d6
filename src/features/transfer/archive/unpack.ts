/**
 * Unpacks a tar.gz from an untrusted source: its sizes and the names of its files are checked before anything is done with them. Archives
 * of projects and of groups are read by it.
 */
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { openTempFile, type TempFile } from '../../../store/temp-file.ts'
import { storeDraft } from '../../storage/object-storage/object-storage.ts'

/** A file of the archive: read to its end, or not at all. */
export type Entry = AsyncIterable<Buffer> & { header: Header }

/** Limits against decompression bombs. Repetitive text compresses well, so a small archive may unpack to any size. */
const max = { unpacked_bytes: 20 * 1024 ** 3, entries: 500_000, ratio: 200 }
const minForRatio_bytes = 64 * 1024 * 1024
const maxVersion_bytes = 64

/** The error for an unreadable archive: permanent, as a retry would not help. */
export function archiveError(what: string, cause?: unknown): Failure {
  return new Failure('invalid', `The archive ${what}.`, { cause })
}

interface Reader<K> {
  /** Classifies a file by its name; null for a name that no archive has. */
  kindOf: (name: string) => K | null
  take: (found: K, entry: Entry) => Promise<void>
  signal?: AbortSignal | undefined
}

/** Takes one file after the other, first that of the version. Throws `invalid` for an archive that is none, or not of this kind. */
export function unpack<K extends { kind: string }>(source: Readable, { kindOf, take, signal }: Reader<K>): Promise<void> {
  const seen = new Set<string>()
  const checked = async (entry: Entry) => {
    const { name, type } = entry.header
    const found = kindOf(name)
    if (seen.size === 0 && found?.kind !== 'version') throw archiveError('was not made by Gitstead')
    const shown = JSON.stringify(name.slice(0, 100))
    if (type !== 'file') throw archiveError(`holds ${shown}, which is no file`)
    if (found === null) throw archiveError(`holds ${shown}, which does not belong there`)
    if (seen.has(name)) throw archiveError(`holds ${shown} twice`)
    seen.add(name)
    if (seen.size > max.entries) throw archiveError('holds more files than a project does')
    await take(found, entry)
  }
  return takeEntries(source, checked, signal)
}

/** The files of the archive, one after the other. */
async function takeEntries(source: Readable, take: (entry: Entry) => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const unpacked = createGunzip()
  const entries = extract()
  // The first stream to fail is the cause: the others are then destroyed with its error.
  let failed: 'store' | 'archive' | 'taker' | null = null
  source.once('error', () => (failed ??= 'store'))
  unpacked.once('error', () => (failed ??= 'archive'))
  entries.once('error', () => (failed ??= 'archive'))
  const meter = limited()
  const taking = entries as unknown as NodeJS.WritableStream
  const flowing = pipeline(source, meter.packed, unpacked, meter.unpacked, taking, { ...(signal && { signal }) })
  // Awaited below, unless something failed before.
  flowing.catch(() => {})
  try {
    for await (const entry of entries as unknown as AsyncIterable<Entry>) {
      await take(entry).catch((error: unknown) => {
        failed ??= 'taker'
        throw error
      })
    }
    await flowing
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw error instanceof Failure || failed !== 'archive' ? error : archiveError('is damaged, or no tar.gz at all', error)
  } finally {
    entries.destroy()
    source.destroy()
  }
}

/** Two streams, before and after decompression: the second one fails if its size is out of proportion to the first. */
function limited(): { packed: Transform; unpacked: Transform } {
  let in_bytes = 0
  let out_bytes = 0
  const packed = new Transform({
    transform(chunk: Buffer, _, done) {
      in_bytes += chunk.length
      done(null, chunk)
    },
  })
  const unpacked = new Transform({
    transform(chunk: Buffer, _, done) {
      out_bytes += chunk.length
      const isBomb = out_bytes > minForRatio_bytes && out_bytes > in_bytes * max.ratio
      done(isBomb || out_bytes > max.unpacked_bytes ? archiveError('unpacks to more than a project holds') : null, chunk)
    },
  })
  return { packed, unpacked }
}

/** Undefined, which matches no schema, for invalid JSON, and for more values than any line has, which would take a second to parse. */
export function parse(text: string): unknown {
  if (hasTooManyValues(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Lines have lists of at most 10,000 numbers, of at most two kinds. */
const maxValues = 100_000
const [quote, backslash, comma, bracket, brace] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0))

function hasTooManyValues(text: string): boolean {
  if (text.length <= maxValues) return false
  let values = 0
  let isWithinText = false
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const sign = text.charCodeAt(at)
    if (sign === quote) isWithinText = !isWithinText
    else if (isWithinText) at += sign === backslash ? 1 : 0
    else if (sign === comma || sign === bracket || sign === brace) values += 1
  }
  return values > maxValues
}

export async function readWhole(entry: Entry, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of entry) {
    size += chunk.length
    if (size > max_bytes) throw archiveError(`holds too much in ${entry.header.name}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

/** Throws `invalid` if the file of the version is none, or names a newer one than `newest`. */
export async function requireVersion(entry: Entry, newest: number): Promise<void> {
  const bytes = await readWhole(entry, maxVersion_bytes)
  const version = Number(/^([1-9][0-9]{0,5})\n?$/.exec(bytes.toString('latin1'))?.[1])
  if (Number.isNaN(version)) throw archiveError('was not made by Gitstead')
  if (version > newest) throw archiveError(`has version ${version}, and this Gitstead reads none after ${newest}`)
}

/** The caller closes all `files`, also after a failure. */
export async function toDisk(app: App, files: TempFile[], entry: Entry): Promise<TempFile> {
  const file = await openTempFile(app.config.home)
  files.push(file)
  for await (const chunk of entry) await file.append(chunk)
  return file
}

/** Nothing refers to the object yet: it is removed after a day unless a row does. */
export async function toStore(app: App, folder: string, entry: Entry): Promise<{ store_key: string; size: number }> {
  const file = await app.store.openDraft()
  try {
    for await (const chunk of entry) await file.append(chunk)
    return { store_key: await storeDraft(app, folder, file), size: file.size }
  } finally {
    await file.close()
  }
}
