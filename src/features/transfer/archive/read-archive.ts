/**
 * Unpacks an archive from an untrusted source: its sizes, names and format are validated. Its parts go to unnamed temporary files, and LFS
 * files and uploads directly to the object store.
 */
import { Readable } from 'node:stream'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import type { TempFile } from '../../../store/temp-file.ts'
import { storeLargeFile } from '../../repository/lfs/lfs.ts'
import { fits, formatVersion, kindOf, maxSettings_bytes, ProjectSettings, type TableName } from './format.ts'
import { archiveError, type Entry, parse, readWhole, requireVersion, toDisk, toStore, unpack } from './unpack.ts'

type Found = NonNullable<ReturnType<typeof kindOf>>

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

export interface StoredUpload {
  store_key: string
  size: number
}

const maxAvatar_bytes = 1024 * 1024

/** Throws `invalid` for an invalid archive. The caller closes the result. */
export async function readArchive(app: App, project_id: number, source: Readable, signal?: AbortSignal): Promise<Unpacked> {
  const reading: Reading = {
    app,
    project_id,
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
    await unpack(source, { kindOf, take: (found, entry) => takeEntry(reading, found, entry), signal })
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
  settings: ProjectSettings | null
  files: TempFile[]
}

async function takeEntry(reading: Reading, found: Found, entry: Entry): Promise<void> {
  switch (found.kind) {
    case 'version':
      return requireVersion(entry, formatVersion)
    case 'project':
      reading.settings = readSettings(await readWhole(entry, maxSettings_bytes))
      return
    case 'avatar':
      reading.avatar = await readWhole(entry, maxAvatar_bytes)
      return
    case 'table':
      reading.tables.set(found.table, await toDisk(reading.app, reading.files, entry))
      return
    case 'repository':
      reading.repository = await toDisk(reading.app, reading.files, entry)
      return
    case 'wiki':
      reading.wiki = await toDisk(reading.app, reading.files, entry)
      return
    case 'upload':
      reading.uploads.set(found.key, await toStore(reading.app, 'uploads', entry))
      return
    case 'lfs':
      return storeLfsObject(reading, entry, found.key)
  }
}

function readSettings(bytes: Buffer): ProjectSettings {
  const value = parse(bytes.toString('utf8'))
  if (!fits(ProjectSettings, value)) throw archiveError('has settings in project.json that are none')
  return value
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
