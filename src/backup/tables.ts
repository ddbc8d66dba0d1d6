/** The tables of a snapshot as files: a line of JSON per row, with values in the order of the columns. */
import { join } from 'node:path'
import type { Snapshot, SnapshotTable, Value } from '../db/snapshot.ts'
import { type FileSum, readLines, writeLines } from './files.ts'
import type { Manifest } from './manifest.ts'
import type { Progress } from './progress.ts'

const tableFile = (name: string): string => `database/${name}.ndjson.gz`

/** Writes every table; returns their entries for the manifest. */
export async function dumpTables(
  snapshot: Snapshot,
  folder: string,
  progress: Progress,
): Promise<{ tables: Manifest['tables']; files: Record<string, FileSum> }> {
  const tables: Manifest['tables'] = []
  const files: Record<string, FileSum> = {}
  for (const table of snapshot.tables) {
    let rows = 0
    async function* lines() {
      for await (const batch of snapshot.rows(table)) {
        rows += batch.length
        progress.rows += batch.length
        yield* batch.map((row) => row.map(toJson))
      }
    }
    const sum = await writeLines(join(folder, tableFile(table.name)), lines())
    files[tableFile(table.name)] = sum
    progress.copied_bytes += sum.size
    tables.push({ ...table, rows })
  }
  return { tables, files }
}

type JsonValue = Exclude<Value, Buffer> | { base64: string } | JsonOfBuffer
/** `JSON.stringify` writes buffers in this form, and earlier versions put it into backups. */
type JsonOfBuffer = { type: 'Buffer'; data: number[] }

function toJson(value: Value): JsonValue {
  return Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value
}

function fromJson(value: JsonValue): Value {
  if (typeof value !== 'object' || value === null) return value
  return 'base64' in value ? Buffer.from(value.base64, 'base64') : Buffer.from(value.data)
}

/** The rows of a table in a generation, in batches. */
export async function* rowsIn(folder: string, { name }: Pick<SnapshotTable, 'name'>): AsyncGenerator<Value[][]> {
  let batch: Value[][] = []
  for await (const row of readLines<JsonValue[]>(join(folder, tableFile(name)))) {
    batch.push(row.map(fromJson))
    if (batch.length < 500) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The rows of a table as objects by column name; none if there is no such table. */
export async function* recordsIn(folder: string, manifest: Pick<Manifest, 'tables'>, name: string): AsyncGenerator<Record<string, Value>> {
  const table = manifest.tables.find((other) => other.name === name)
  if (!table) return
  for await (const row of readLines<Value[]>(join(folder, tableFile(name)))) {
    yield Object.fromEntries(table.columns.map((column, index) => [column, row[index] ?? null]))
  }
}

export interface SavedProject {
  id: number
  default_branch: string | null
  import_status: string
}

export async function* projectsIn(folder: string, manifest: Pick<Manifest, 'tables'>): AsyncGenerator<SavedProject> {
  for await (const row of recordsIn(folder, manifest, 'projects')) {
    yield row as Record<string, Value> & SavedProject
  }
}

/** The ids of the wikis. */
export async function* wikisIn(folder: string, manifest: Pick<Manifest, 'tables'>): AsyncGenerator<number> {
  for await (const { id } of recordsIn(folder, manifest, 'wikis')) yield Number(id)
}
