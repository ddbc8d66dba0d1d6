/** The files of a repository as it is on disk, each opened before it is listed. */
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { notFound } from '../../failure.ts'
import type { Repo } from '../repository/repository.ts'

export interface SnapshotFile {
  /** Relative to the folder of the repository. */
  name: string
  /** In bytes. */
  size: number
  /** Open until the next file is requested. */
  handle: FileHandle
}

/**
 * Refs come first, so that what they lead to is among the objects. A file that goes meanwhile is left out; housekeeping
 * takes one away only after it has written what replaces it, which a second look finds. Throws `not_found` when the repository is
 * gone, before or meanwhile.
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
  const loose = (await filesBelow(dir, 'refs')).filter((name) => !name.endsWith('.lock'))
  return ['HEAD', ...loose.sort(), 'packed-refs']
}

/**
 * Files of a repository below one of its folders, relative to the repository. Git removes empty folders of refs and objects, and
 * those that go meanwhile are left out; without the folder itself there is no repository.
 */
async function filesBelow(dir: string, folder: string, isRequired = true): Promise<string[]> {
  const entries = await readdir(join(dir, folder), { withFileTypes: true }).catch((error: { code?: string }) => {
    if (error.code !== 'ENOENT') throw error
    if (isRequired) throw notFound('Repository')
    return []
  })
  const names: string[] = []
  for (const entry of entries) {
    const name = join(folder, entry.name)
    if (entry.isDirectory()) names.push(...(await filesBelow(dir, name, false)))
    else if (entry.isFile()) names.push(name)
  }
  return names
}

/** Objects and packs. What git derives of them it can derive again. */
const objectFile = /^objects\/([0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/pack-[0-9a-f]+\.(pack|idx|rev|mtimes))$/

async function objectFiles(dir: string): Promise<string[]> {
  const names = await filesBelow(dir, 'objects')
  // A pack before its index: git removes them the other way round, so that no index comes without its pack.
  const order = (name: string) => name.replace(/\.pack$/, '')
  return names.filter((name) => objectFile.test(name)).sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

function openThere(path: string): Promise<FileHandle | null> {
  return open(path).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
