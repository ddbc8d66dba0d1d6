/** Reads every row of a database and every ref of every repository, for tests that compare an instance with its restored backup. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest } from '../../src/backup/manifest.ts'
import { rowsIn } from '../../src/backup/tables.ts'
import { openSnapshot, type Value } from '../../src/db/snapshot.ts'
import { hashedPath } from '../../src/git/repository/repository.ts'
import { git } from './git.ts'
import { gitsteadProgram } from './program.ts'
import { atEndOfFile } from './run/cleanup.ts'

export type Rows = Record<string, Array<Record<string, Value>>>

export interface Outcome {
  code: number
  out: string
  err: string
}

/** Runs a command of the program and waits for its end. */
export async function gitstead(args: string[], env: Record<string, string>, before: string[] = []): Promise<Outcome> {
  const [command = '', ...words] = [...before, ...(await gitsteadProgram()), ...args]
  return new Promise((resolve) => {
    execFile(command, words, { env: { PATH: process.env.PATH, ...env }, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    )
  })
}

const named = (columns: string[], row: Value[]) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]))

/** All rows of a database, ordered by id. */
export async function rowsOf(location: string): Promise<Rows> {
  const snapshot = await openSnapshot(location)
  const all: Rows = {}
  for (const table of snapshot.tables) {
    all[table.name] = []
    for await (const batch of snapshot.rows(table)) all[table.name]?.push(...batch.map((row) => named(table.columns, row)))
  }
  await snapshot.close()
  return sorted(all)
}

/** Everything the database of a generation holds. */
export async function rowsSaved(generation: string): Promise<Rows> {
  const all: Rows = {}
  for (const table of (await readManifest(generation)).tables) {
    all[table.name] = []
    for await (const batch of rowsIn(generation, table)) all[table.name]?.push(...batch.map((row) => named(table.columns, row)))
  }
  return sorted(all)
}

/** Engines sort text differently. */
function sorted(rows: Rows): Rows {
  const order = (row: Record<string, Value>) => JSON.stringify(row)
  return Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [table, all.toSorted((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0))]),
  )
}

/** Without what a restore changes: the owners of running pushes and jobs. */
export function withoutOwners({ push_intents = [], jobs = [], ...rest }: Rows): Rows {
  return {
    ...rest,
    push_intents: push_intents.map((row) => ({ ...row, process: '' })),
    jobs: jobs.map((row) => ({ ...row, owner: '' })),
  }
}

/** Every ref of a repository, including HEAD. `home` is a data folder or a generation. */
export async function refsIn(home: string, project_id: number): Promise<Record<string, string>> {
  const dir = repositoryDir(home, project_id)
  const refs = (await git(dir, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').filter(Boolean)
  const head = await git(dir, 'symbolic-ref', 'HEAD')
  return { HEAD: head, ...Object.fromEntries(refs.map((line) => line.split(' '))) }
}

export const repositoryDir = (home: string, project_id: number): string => join(home, 'repositories', hashedPath(project_id))

/** Complete generations, oldest first. */
export async function generationsIn(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => /^\d.*Z$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/** All files below a folder, with their sizes and links. */
export async function filesBelow(folder: string): Promise<Map<string, { size: number; ino: number; uid: number; mode: number }>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found = new Map<string, { size: number; ino: number; uid: number; mode: number }>()
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const { size, ino, uid, mode } = await stat(path)
    if (entry.isFile()) found.set(path.slice(folder.length + 1), { size, ino, uid, mode: mode & 0o777 })
  }
  return found
}

/** A folder outside of every data folder; removed at the end of the test file. */
export async function outside(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-backup-'))
  atEndOfFile(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}
