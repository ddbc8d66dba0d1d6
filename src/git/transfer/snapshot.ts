/** The files of a repository as they are on disk, each opened before it is listed. */
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { notFound } from '../../failure.ts'
import type { Repo } from '../repository/repository.ts'

export interface SnapshotFile {
  /** Path relative to the repository. */
  name: string
  /** In bytes. */
  size: number
  /** Open until the next file is requested. */
  handle: FileHandle
}

/**
 * Yields refs first, so that the objects they lead to follow. A file that vanishes meanwhile is skipped; housekeeping removes one only
 * after it has written its replacement, which the second pass finds. Throws `not_found` if the repository is gone, before or meanwhile.
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
 * Files below a folder of the repository, with paths relative to the repository. Git removes empty folders of refs and objects; those that
 * vanish meanwhile are skipped. If the folder itself is missing, there is no repository.
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

/** Loose objects and packs. Other files are derived from them by git. */
const objectFile = /^objects\/([0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/pack-[0-9a-f]+\.(pack|idx|rev|mtimes))$/

async function objectFiles(dir: string): Promise<string[]> {
  const names = await filesBelow(dir, 'objects')
  // A pack comes before its index: git deletes them in the opposite order, so no index is listed without its pack.
  const order = (name: string) => name.replace(/\.pack$/, '')
  return names.filter((name) => objectFile.test(name)).sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

function openThere(path: string): Promise<FileHandle | null> {
  return open(path).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
