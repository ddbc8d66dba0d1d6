/** A rejected write must leave this unchanged: rows, refs, and the files of the data folder. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Forge, TestProject } from '../../support/forge.ts'

const tables = [
  'projects',
  'events',
  'push_intents',
  'protected_branches',
  'protected_tags',
  'releases',
  'notes',
  'pipelines',
  'commit_statuses',
  'access_tokens',
  'deploy_tokens',
]

/**
 * Returns a function that gives the refs of the project, the number of rows and the last row. It only reads again what may have changed.
 */
export function watchState({ app }: Forge, { dir }: TestProject): () => Promise<string> {
  const parts = tables.map((table) => sql`select count(*) as rows, max(id) as last from ${sql.table(table)}`)
  const query = sql`${sql.join(parts, sql` union all `)}`.compile(app.db)
  const readRefs = watchRefs(dir)
  return async () => JSON.stringify((await app.db.executeQuery(query)).rows) + readRefs()
}

/** Written by the service itself, in the background or on first use. */
const ownRefs = new Set(['merge-requests', 'keep-around'])

interface Folder {
  /** The time of the last write; null if it is too recent to distinguish a later write from it. */
  written: bigint | null
  folders: string[]
  refs: Array<[name: string, oid: string]>
}

/** The clock of a file system may stand still for this long. */
const tick_ns = 100_000_000n

/**
 * Loose refs are written by renaming, so a folder with the same time has the same refs. Loose ones are read first: those that are packed
 * meanwhile are in the file that is read then.
 */
function watchRefs(dir: string): () => string {
  const known = new Map<string, Folder>()
  /** Housekeeping removes the folders of refs that it has packed: null if one is gone. */
  const read = (folder: string): Folder | null => {
    try {
      const written = statSync(join(dir, 'refs', folder), { bigint: true }).mtimeNs
      const before = known.get(folder)
      if (before?.written === written) return before
      const isSettled = BigInt(Date.now()) * 1_000_000n - written > tick_ns
      const found = { ...listed(dir, folder), written: isSettled ? written : null }
      known.set(folder, found)
      return found
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return null
    }
  }
  const walk = (folder: string, refs: Map<string, string>): void => {
    const found = read(folder)
    for (const [name, oid] of found?.refs ?? []) refs.set(`refs/${name}`, oid)
    for (const below of found?.folders ?? []) walk(below, refs)
  }
  return () => {
    const refs = new Map<string, string>()
    walk('', refs)
    const packed = existsSync(join(dir, 'packed-refs')) ? readFileSync(join(dir, 'packed-refs'), 'utf8') : ''
    for (const [, oid = '', ref = ''] of packed.matchAll(/^([0-9a-f]{40}) (.*)$/gm)) {
      if (!refs.has(ref) && !ownRefs.has(ref.split('/')[1] ?? '')) refs.set(ref, oid)
    }
    const lines = [...refs].map(([ref, oid]) => `${oid} ${ref}`)
    return lines.sort().join('\n') + readFileSync(join(dir, 'HEAD'), 'utf8')
  }
}

/** The refs in a folder below `refs`, and the folders in it. */
function listed(dir: string, folder: string): Pick<Folder, 'folders' | 'refs'> {
  const found: Pick<Folder, 'folders' | 'refs'> = { folders: [], refs: [] }
  for (const entry of readdirSync(join(dir, 'refs', folder), { withFileTypes: true })) {
    const name = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!ownRefs.has(name)) found.folders.push(name)
    } else if (!name.endsWith('.lock')) {
      // Not a ref, but a lock that housekeeping holds while it packs one.
      const oid = oidIn(join(dir, 'refs', name))
      if (oid !== null) found.refs.push([name, oid])
    }
  }
  return found
}

/** Null if it has been packed meanwhile. */
function oidIn(file: string): string | null {
  try {
    return readFileSync(file, 'latin1').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

/** Paths of the service's own, which callers can't choose. */
const ownNames =
  /^(repositories(\/[0-9a-f]{2}(\/[0-9a-f]{2}(\/[0-9a-f]{64}\.git(\/(HEAD|config|objects|refs))?)?)?)?|objects(\/[a-z]+(\/[0-9a-f]{2}(\/[0-9a-f-]{36})?)?)?|scratch|code-index(\/[0-9a-f-]{36}\.segment)?)$/

/** Every other file in the data folder, without objects and refs of repositories, and files of housekeeping. */
export function filesOutside({ app }: Forge): string[] {
  const { home } = app.config
  return readdirSync(home, { recursive: true })
    .map(String)
    .filter((file) => !ownNames.test(file) && !/\.git\/(objects\/|refs\/|packed-refs|info$|info\/refs$|\.housekeeping)|\.sqlite/.test(file))
}
