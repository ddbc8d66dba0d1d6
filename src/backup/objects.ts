/** Large files, uploads, avatars and archives: every object of the store that a row of the snapshot refers to. */
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Value } from '../db/snapshot.ts'
import { StartRefused } from '../failure.ts'
import { type FileSum, readLines, sizeOf, tryLink, writeLines, writeStream } from './files.ts'
import type { Manifest } from './manifest.ts'
import type { Generation } from './repositories.ts'
import type { Source } from './source.ts'
import { recordsIn } from './tables.ts'

/** Columns with such a name contain keys of the object store. */
export const keyColumn = /^(store|avatar)_key$/

/** The columns of a row that describe its object. */
export interface Reference {
  key: string
  /** In bytes; undefined if the row doesn't contain it. */
  size: number | undefined
  sha256: string | undefined
}

/** A line of a list of objects. Without a checksum if the object was missing. */
export type SavedObject = { key: string } & Partial<FileSum>

export const objectList = (table: string): string => `lists/objects-${table}.ndjson.gz`
export const objectPath = (key: string): string => join('objects', key)

/** The tables whose rows refer to objects. */
export function referringTables({ tables }: Pick<Manifest, 'tables'>): string[] {
  return tables.filter(({ columns }) => columns.some((column) => keyColumn.test(column))).map(({ name }) => name)
}

/** In the order of the rows. */
export async function* referencesIn(folder: string, manifest: Pick<Manifest, 'tables'>, table: string): AsyncGenerator<Reference> {
  for await (const row of recordsIn(folder, manifest, table)) {
    for (const [column, key] of Object.entries(row)) {
      if (keyColumn.test(column) && typeof key === 'string') yield { key, ...expectedOf(table, column, row) }
    }
  }
}

function expectedOf(table: string, column: string, { size, oid }: Record<string, Value>): Pick<Reference, 'size' | 'sha256'> {
  return {
    size: column === 'store_key' && typeof size === 'number' ? size : undefined,
    sha256: table === 'lfs_objects' && typeof oid === 'string' ? oid : undefined,
  }
}

const atOnce = 8

/** Saves the objects that one table refers to, and writes the list of them. */
export async function saveObjects(source: Source, to: Generation, manifest: Pick<Manifest, 'tables'>, table: string): Promise<FileSum> {
  const known = await sumsBefore(to.previous, table)
  async function* saved() {
    let batch: Reference[] = []
    for await (const reference of referencesIn(to.folder, manifest, table)) {
      batch.push(reference)
      if (batch.length < atOnce) continue
      yield* await saveAll(batch)
      batch = []
    }
    yield* await saveAll(batch)
  }
  const saveAll = (batch: Reference[]) => {
    to.signal.throwIfAborted()
    return Promise.all(batch.map((reference) => saveObject(source, to, reference, known)))
  }
  return writeLines(join(to.folder, objectList(table)), saved())
}

/** Rows of large files contain their checksums; for others the previous generation has them. */
async function sumsBefore(previous: string | null, table: string): Promise<Map<string, FileSum>> {
  const sums = new Map<string, FileSum>()
  if (previous === null || table === 'lfs_objects') return sums
  try {
    for await (const { key, size, sha256 } of readLines<SavedObject>(join(previous, objectList(table)))) {
      if (size !== undefined && sha256 !== undefined) sums.set(key, { size, sha256 })
    }
  } catch {
    // There is none, or a damaged one: everything is copied again.
    sums.clear()
  }
  return sums
}

async function saveObject(source: Source, to: Generation, reference: Reference, before: Map<string, FileSum>): Promise<SavedObject> {
  const { key, size, sha256 } = reference
  const path = join(to.folder, objectPath(key))
  const known = size !== undefined && sha256 !== undefined ? { size, sha256 } : before.get(key)
  try {
    await mkdir(dirname(path), { recursive: true })
    const other = to.previous && known && join(to.previous, objectPath(key))
    if (other && known && (await sizeOf(other)) === known.size && (await tryLink(other, path))) {
      to.progress.linked_bytes += known.size
      to.progress.objects += 1
      return { key, ...known }
    }
    const sum = await writeStream(path, await source.store.open(key))
    requireSame(sum, reference)
    to.progress.copied_bytes += sum.size
    to.progress.objects += 1
    return { key, ...sum }
  } catch (error) {
    if (isFatal(error)) throw error
    await rm(path, { force: true })
    to.progress.fault(`object ${key}: ${wordsOf(error)}`)
    if (to.progress.faults.length > maxFaults) throw new Error('too much is missing; see the lines above')
    return { key }
  }
}

const maxFaults = 1_000

/** Throws if the bytes don't match the row. */
export function requireSame(sum: FileSum, { size, sha256 }: Pick<Reference, 'size' | 'sha256'>): void {
  if (size !== undefined && sum.size !== size) throw new Error(`it has ${sum.size} bytes instead of ${size}`)
  if (sha256 !== undefined && sum.sha256 !== sha256) throw new Error('its content does not match its row')
}

/** Whether an error would recur for all that follow; otherwise one failed item doesn't end the backup. */
export function isFatal(error: unknown): boolean {
  const { code, name } = error as { code?: string; name?: string }
  return error instanceof StartRefused || name === 'AbortError' || /^(ENOSPC|EDQUOT|EROFS|EFBIG|EMFILE|storage_full)$/.test(code ?? '')
}

export function wordsOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown }
  if (code === 'not_found') return 'it is missing'
  if (code === 'git_failed' && cause instanceof Error) return cause.message
  return message ?? String(error)
}
