/**
 * Unpacks an archive from an untrusted source: its sizes, names and format are validated. Its parts go to unnamed temporary files, and LFS
 * files and uploads directly to the object store.
 */
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { openTempFile, type TempFile } from '../../../store/temp-file.ts'
import { storeLargeFile } from '../../repository/lfs/lfs.ts'
import { storeDraft } from '../../storage/object-storage/object-storage.ts'
import { fits, formatVersion, kindOf, maxSettings_bytes, ProjectSettings, type TableName } from './format.ts'

export interface Unpacked {
  settings: ProjectSettings
  tables: Map<TableName, TempFile>
  /** Null if the project had no branches and tags. */
  repository: TempFile | null
  /** Null if it had no wiki. */
  wiki: TempFile | null
  avatar: Buffer | null
  /** By their secrets. Nothing refers to these objects yet. */
  uploads: Map<string, StoredUpload>
  /** Removes the temp files. */
  close: () => Promise<void>
}

/** A file of the archive: read to its end, or not at all. */
type Entry = AsyncIterable<Buffer> & { header: Header }

export interface StoredUpload {
  store_key: string
  size: number
}

/** Limits against decompression bombs. Repetitive text compresses well, so a small archive may unpack to any size. */
const max = { unpacked_bytes: 20 * 1024 ** 3, entries: 500_000, ratio: 200 }
const minForRatio_bytes = 64 * 1024 * 1024
const maxAvatar_bytes = 1024 * 1024
const maxVersion_bytes = 64

/** The error for an unreadable archive: permanent, as a retry would not help. */
export function archiveError(what: string, cause?: unknown): Failure {
  return new Failure('invalid', `The archive ${what}.`, { cause })
}

/** Throws `invalid` for an invalid archive. The caller closes the result. */
export async function readArchive(app: App, project_id: number, source: Readable, signal?: AbortSignal): Promise<Unpacked> {
  const reading: Reading = {
    app,
    project_id,
    seen: new Set(),
    settings: null,
    tables: new Map(),
    repository: null,
    wiki: null,
    avatar: null,
    uploads: new Map(),
    files: [],
  }
  const close = async () => void (await Promise.all(reading.files.map((file) => file.close())))
  try {
    await takeEntries(source, (entry) => takeEntry(reading, entry), signal)
    const { settings, tables, repository, wiki, avatar, uploads } = reading
    if (settings === null) throw archiveError('lacks project.json')
    return { settings, tables, repository, wiki, avatar, uploads, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Reading extends Omit<Unpacked, 'settings' | 'close'> {
  app: App
  project_id: number
  /** The names read so far. */
  seen: Set<string>
  settings: ProjectSettings | null
  files: TempFile[]
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

async function takeEntry(reading: Reading, entry: Entry): Promise<void> {
  const { name, type } = entry.header
  const found = kindOf(name)
  const { seen } = reading
  if (seen.size === 0 && found?.kind !== 'version') throw archiveError('was not made by Gitstead')
  const shown = JSON.stringify(name.slice(0, 100))
  if (type !== 'file') throw archiveError(`holds ${shown}, which is no file`)
  if (found === null) throw archiveError(`holds ${shown}, which does not belong there`)
  if (seen.has(name)) throw archiveError(`holds ${shown} twice`)
  seen.add(name)
  if (seen.size > max.entries) throw archiveError('holds more files than a project does')
  switch (found.kind) {
    case 'version':
      return requireVersion(await readWhole(entry, maxVersion_bytes))
    case 'project':
      reading.settings = readSettings(await readWhole(entry, maxSettings_bytes))
      return
    case 'avatar':
      reading.avatar = await readWhole(entry, maxAvatar_bytes)
      return
    case 'table':
      reading.tables.set(found.table, await toDisk(reading, entry))
      return
    case 'repository':
      reading.repository = await toDisk(reading, entry)
      return
    case 'wiki':
      reading.wiki = await toDisk(reading, entry)
      return
    case 'upload':
      reading.uploads.set(found.key, await storeUpload(reading, entry))
      return
    case 'lfs':
      return storeLfsObject(reading, entry, found.key)
  }
}

function requireVersion(bytes: Buffer): void {
  const version = Number(/^([1-9][0-9]{0,5})\n?$/.exec(bytes.toString('latin1'))?.[1])
  if (Number.isNaN(version)) throw archiveError('was not made by Gitstead')
  if (version > formatVersion) throw archiveError(`has version ${version}, and this Gitstead reads none after ${formatVersion}`)
}

function readSettings(bytes: Buffer): ProjectSettings {
  const value = parse(bytes.toString('utf8'))
  if (!fits(ProjectSettings, value)) throw archiveError('has settings in project.json that are none')
  return value
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

async function readWhole(entry: Entry, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of entry) {
    size += chunk.length
    if (size > max_bytes) throw archiveError(`holds too much in ${entry.header.name}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

async function toDisk({ app, files }: Reading, entry: Entry): Promise<TempFile> {
  const file = await openTempFile(app.config.home)
  files.push(file)
  for await (const chunk of entry) await file.append(chunk)
  return file
}

/** Written to disk first, as its hash must be known before it is stored. */
async function storeUpload({ app }: Reading, entry: Entry): Promise<StoredUpload> {
  const file = await app.store.openDraft()
  try {
    for await (const chunk of entry) await file.append(chunk)
    return { store_key: await storeDraft(app, 'uploads', file), size: file.size }
  } finally {
    await file.close()
  }
}

async function storeLfsObject({ app, project_id }: Reading, entry: Entry, oid: string): Promise<void> {
  const source = Readable.from(entry, { objectMode: false })
  try {
    await storeLargeFile(app, project_id, source, { oid, size: entry.header.size })
  } catch (error) {
    const isWrong = error instanceof Failure && error.code === 'invalid'
    throw isWrong ? archiveError(`holds bytes in lfs/${oid} that are not that large file`, error) : error
  } finally {
    source.destroy()
  }
}
