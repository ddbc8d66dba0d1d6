/**
 * Takes an archive apart, whoever made it. Nothing it says of itself is believed: not its sizes, nor its names, nor that it is
 * one. Its parts go to files of the disk without names, and large files and uploads straight to where such things are stored.
 */
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { openTempFile, type TempFile } from '../../../store/temp-file.ts'
import { takeLargeFile } from '../../repository/lfs/lfs.ts'
import { storeObject } from '../../storage/object-storage/object-storage.ts'
import { fits, formatVersion, kindOf, maxSettings_bytes, ProjectSettings, type TableName } from './format.ts'

export interface Unpacked {
  settings: ProjectSettings
  tables: Map<TableName, TempFile>
  /** Null where the project had no branch and no tag. */
  repository: TempFile | null
  avatar: Buffer | null
  /** By their secrets. Nothing refers to these objects yet. */
  uploads: Map<string, StoredUpload>
  /** Removes what is on the disk. */
  close: () => Promise<void>
}

/** A file of the archive, to be read to its end or not at all. */
type Entry = AsyncIterable<Buffer> & { header: Header }

export interface StoredUpload {
  store_key: string
  size: number
}

/** What no project needs, and a bomb has. Text that repeats itself packs well, so a small archive may unpack to anything. */
const most = { unpacked_bytes: 20 * 1024 ** 3, entries: 500_000, ratio: 200 }
const minForRatio_bytes = 64 * 1024 * 1024
const maxAvatar_bytes = 1024 * 1024
const maxVersion_bytes = 64

/** Said of an archive that can't be read, whatever comes after. */
export function wrong(what: string, cause?: unknown): Failure {
  return new Failure('invalid', `The archive ${what}.`, { cause })
}

/** Throws `invalid` for what is no archive of ours. The caller closes what it gets. */
export async function readArchive(app: App, project_id: number, source: Readable, signal?: AbortSignal): Promise<Unpacked> {
  const reading: Reading = {
    app,
    project_id,
    seen: new Set(),
    settings: null,
    tables: new Map(),
    repository: null,
    avatar: null,
    uploads: new Map(),
    files: [],
  }
  const close = async () => void (await Promise.all(reading.files.map((file) => file.close())))
  try {
    await takeEntries(source, (entry) => takeEntry(reading, entry), signal)
    const { settings, tables, repository, avatar, uploads } = reading
    if (settings === null) throw wrong('lacks project.json')
    return { settings, tables, repository, avatar, uploads, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Reading extends Omit<Unpacked, 'settings' | 'close'> {
  app: App
  project_id: number
  /** The names that have come. */
  seen: Set<string>
  settings: ProjectSettings | null
  files: TempFile[]
}

/** The files of the archive, one after the other. */
async function takeEntries(source: Readable, take: (entry: Entry) => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const unpacked = createGunzip()
  const entries = extract()
  // The first to fail is to blame: the others are then destroyed with its error.
  let toBlame: 'store' | 'archive' | 'taker' | null = null
  source.once('error', () => (toBlame ??= 'store'))
  unpacked.once('error', () => (toBlame ??= 'archive'))
  entries.once('error', () => (toBlame ??= 'archive'))
  const meter = limited()
  const taking = entries as unknown as NodeJS.WritableStream
  const flowing = pipeline(source, meter.packed, unpacked, meter.unpacked, taking, { ...(signal && { signal }) })
  // It is awaited below, where nothing failed before.
  flowing.catch(() => {})
  try {
    for await (const entry of entries as unknown as AsyncIterable<Entry>) {
      await take(entry).catch((error: unknown) => {
        toBlame ??= 'taker'
        throw error
      })
    }
    await flowing
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw error instanceof Failure || toBlame !== 'archive' ? error : wrong('is damaged, or no tar.gz at all', error)
  } finally {
    entries.destroy()
    source.destroy()
  }
}

/** Two streams, one before and one after the unpacking: the second fails when it is out of proportion to the first. */
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
      const isBomb = out_bytes > minForRatio_bytes && out_bytes > in_bytes * most.ratio
      done(isBomb || out_bytes > most.unpacked_bytes ? wrong('unpacks to more than a project holds') : null, chunk)
    },
  })
  return { packed, unpacked }
}

async function takeEntry(reading: Reading, entry: Entry): Promise<void> {
  const { name, type } = entry.header
  const found = kindOf(name)
  const { seen } = reading
  if (seen.size === 0 && found?.kind !== 'version') throw wrong('was not made by Gitstead')
  const shown = JSON.stringify(name.slice(0, 100))
  if (type !== 'file') throw wrong(`holds ${shown}, which is no file`)
  if (found === null) throw wrong(`holds ${shown}, which does not belong there`)
  if (seen.has(name)) throw wrong(`holds ${shown} twice`)
  seen.add(name)
  if (seen.size > most.entries) throw wrong('holds more files than a project does')
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
    case 'upload':
      reading.uploads.set(found.key, await storeUpload(reading, entry))
      return
    case 'lfs':
      return storeLargeFile(reading, entry, found.key)
  }
}

function requireVersion(bytes: Buffer): void {
  const version = Number(/^([1-9][0-9]{0,5})\n?$/.exec(bytes.toString('latin1'))?.[1])
  if (Number.isNaN(version)) throw wrong('was not made by Gitstead')
  if (version > formatVersion) throw wrong(`has version ${version}, and this Gitstead reads none after ${formatVersion}`)
}

function readSettings(bytes: Buffer): ProjectSettings {
  const value = parse(bytes.toString('utf8'))
  if (!fits(ProjectSettings, value)) throw wrong('has settings in project.json that are none')
  return value
}

/** Undefined, which fits no shape, for what is no JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readWhole(entry: Entry, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of entry) {
    size += chunk.length
    if (size > max_bytes) throw wrong(`holds too much in ${entry.header.name}`)
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

/** Its hash must be known before it is stored, so it goes to disk first. */
async function storeUpload({ app }: Reading, entry: Entry): Promise<StoredUpload> {
  const file = await openTempFile(app.config.home)
  try {
    for await (const chunk of entry) await file.append(chunk)
    return { store_key: await storeObject(app, 'uploads', file.open(), file.sum()), size: file.size }
  } finally {
    await file.close()
  }
}

async function storeLargeFile({ app, project_id }: Reading, entry: Entry, oid: string): Promise<void> {
  const source = Readable.from(entry, { objectMode: false })
  try {
    await takeLargeFile(app, project_id, source, { oid, size: entry.header.size })
  } catch (error) {
    const isWrong = error instanceof Failure && error.code === 'invalid'
    throw isWrong ? wrong(`holds bytes in lfs/${oid} that are not that large file`, error) : error
  } finally {
    source.destroy()
  }
}
