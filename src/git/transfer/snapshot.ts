/** The files of a repository as it is on disk, each opened before it is listed. */
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repo } from '../repository/repository.ts'

export interface SnapshotFile {
  /** Relative to the folder of the repository. */
  name: string
  /** In bytes. */
  size: number
  /** Open until the next file is asked for. */
  handle: FileHandle
}

/**
 * Refs come first, so that what they lead to is among the objects. A file that goes meanwhile is left out; housekeeping
 * takes one away only after it has written what replaces it, which a second look finds.
 */
export async function* snapshotOf({ dir }: Repo): AsyncGenerator<SnapshotFile> {
  const known = new Set<string>()
  for (const list of [refFiles, objectFiles, objectFiles]) {
    for (const name of await list(dir)) {
      const handle = known.has(name) ? null : await openThere(join(dir, name))
      if (!handle) continue
      known.add(name)
      try {
        yield { name, size: (await handle.stat()).size, handle }
      } finally {
        await handle.close()
      }
    }
  }
}

async function refFiles(dir: string): Promise<string[]> {
  const entries = await readdir(join(dir, 'refs'), { withFileTypes: true, recursive: true }).catch(() => [])
  const loose = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
  return ['HEAD', ...loose.map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1)).sort(), 'packed-refs']
}

/** Objects and packs. What git derives of them it can derive again. */
const objectFile = /^([0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/pack-[0-9a-f]+\.(pack|idx|rev|mtimes))$/

async function objectFiles(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'objects'), { recursive: true }).catch(() => [])
  // A pack before its index: git removes them the other way round, so that no index comes without its pack.
  const order = (name: string) => name.replace(/\.pack$/, '')
  const wanted = names.filter((name) => objectFile.test(name)).sort((a, b) => (order(a) < order(b) ? -1 : 1))
  return wanted.map((name) => join('objects', name))
}

function openThere(path: string): Promise<FileHandle | null> {
  return open(path).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
