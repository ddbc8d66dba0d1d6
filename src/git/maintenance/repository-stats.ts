/** Statistics of a repository, from the names, sizes and times of its files, without running git. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repo } from '../repository/repository.ts'

export interface Storage {
  /** Excludes cruft packs. */
  packs: number
  packs_bytes: number
  /** Packs of objects that were unreachable when they were packed. */
  cruftPacks: number
  /** Estimated from one of the 256 folders of loose objects. */
  looseObjects: number
  looseRefs: number
  /** Size of the packs that are newer than the multi-pack index, and so than its bitmap. */
  unindexed_bytes: number
  hasBitmap: boolean
  /** Whether objects are newer than the commit-graph. */
  commitGraphIsOld: boolean
}

/** Refs are counted up to this. */
const maxCountedRefs = 1_000

export async function inspectStorage({ dir }: Repo): Promise<Storage> {
  const objects = join(dir, 'objects')
  const inPack = await readdir(join(objects, 'pack')).catch(() => [])
  const packs = inPack.filter((name) => /^pack-.*\.pack$/.test(name))
  const cruft = new Set(inPack.filter((name) => name.endsWith('.mtimes')).map((name) => name.replace(/mtimes$/, 'pack')))
  const found = await Promise.all(packs.map((name) => stat(join(objects, 'pack', name)).catch(() => null)))
  const indexed_ms = await timeOf(join(objects, 'pack', 'multi-pack-index'))
  const newest_ms = Math.max(0, ...found.map((pack) => pack?.mtimeMs ?? 0))
  const fanOut = await readdir(join(objects, '17')).catch(() => [])
  const loose_ms = await Promise.all((await looseFolders(objects)).map((name) => timeOf(join(objects, name))))
  const graph = join(objects, 'info', 'commit-graphs', 'commit-graph-chain')
  return {
    packs: packs.length - cruft.size,
    packs_bytes: found.reduce((sum, pack) => sum + (pack?.size ?? 0), 0),
    cruftPacks: cruft.size,
    looseObjects: fanOut.filter((name) => /^[0-9a-f]{38,62}$/.test(name)).length * 256,
    looseRefs: await countFiles(join(dir, 'refs'), maxCountedRefs),
    unindexed_bytes: found.reduce((sum, pack) => sum + (pack && pack.mtimeMs > indexed_ms ? pack.size : 0), 0),
    hasBitmap: inPack.some((name) => name.endsWith('.bitmap')),
    commitGraphIsOld: Math.max(newest_ms, ...loose_ms) > (await timeOf(graph)),
  }
}

/** Modification time in milliseconds; zero if there is no such file. */
async function timeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.mtimeMs ?? 0
}

/** Paths of the folders of loose objects. */
export async function looseFolders(objects: string): Promise<string[]> {
  return (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
}

/** Up to `max`, in this folder and below. */
export async function countFiles(folder: string, max: number): Promise<number> {
  let count = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (count >= max) return count
    count += entry.isDirectory() ? await countFiles(join(folder, entry.name), max - count) : 1
  }
  return count
}
