/** Removes stale files that killed processes left in a repository. */
import { lstat, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Repo } from '../repository/repository.ts'
import { looseFolders } from './repository-stats.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

/** Longer than any process holds such a file. A `.keep` protects a pack until its push has moved the refs. */
const lifetime_ms = { lock: 15 * minute_ms, refLock: hour_ms, keep: 7 * day_ms, temporary: day_ms }

/**
 * The caller must hold the housekeeping lock of the repository, since writing a pack index takes a lock for a while. Returns the paths of
 * the removed files.
 */
export async function removeStaleFiles({ dir }: Repo): Promise<string[]> {
  const objects = join(dir, 'objects')
  const removed = await Promise.all([
    sweep(dir, /\.lock$/, lifetime_ms.lock),
    sweep(dir, /^(arriving-|\.probe-|fast_import_crash_)/, lifetime_ms.temporary),
    sweep(join(dir, '.remembered'), /\.new$/, lifetime_ms.temporary),
    sweepTree(join(dir, 'refs'), /\.lock$/, lifetime_ms.refLock),
    sweepTree(join(objects, 'info'), /\.lock$/, lifetime_ms.lock),
    sweepTree(join(objects, 'info'), /^tmp_/, lifetime_ms.temporary),
    sweep(objects, /^(tmp_objdir-|tmp_obj_)/, lifetime_ms.temporary),
    sweep(join(objects, 'pack'), /\.lock$/, lifetime_ms.lock),
    sweep(join(objects, 'pack'), /\.keep$/, lifetime_ms.keep),
    sweep(join(objects, 'pack'), /^\.?tmp[_-]/, lifetime_ms.temporary),
    ...(await looseFolders(objects).catch(() => [])).map((name) => sweep(join(objects, name), /^tmp_obj_/, lifetime_ms.temporary)),
    sweep(dirname(dir), new RegExp(`^${basename(dir).replaceAll('.', '\\.')}\\.new-`), lifetime_ms.temporary),
  ])
  return removed.flat()
}

/**
 * Removes the parts of packs and commit-graphs that failed housekeeping left behind: on a full disk they would keep it full. Nothing else
 * writes in these folders: pushes, imports and commits of the API write to folders of their own until their packs are complete. The caller
 * must hold the housekeeping lock.
 */
export async function removeUnfinished({ dir }: Repo): Promise<void> {
  await sweep(join(dir, 'objects', 'pack'), /^\.?tmp[_-]/, 0)
  await sweep(join(dir, 'objects', 'info', 'commit-graphs'), /^tmp_graph_/, 0)
}

/** Removes the entries of a folder that match the name and are older than the given age. */
async function sweep(folder: string, name: RegExp, age_ms: number): Promise<string[]> {
  const removed: string[] = []
  for (const entry of await readdir(folder).catch(() => [])) {
    const path = join(folder, entry)
    if (!name.test(entry) || !(await isOlder(path, age_ms))) continue
    await rm(path, { recursive: true, force: true })
    removed.push(path)
  }
  return removed
}

/** As `sweep`, in subfolders too. */
async function sweepTree(folder: string, name: RegExp, age_ms: number): Promise<string[]> {
  const removed = await sweep(folder, name, age_ms)
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) removed.push(...(await sweepTree(join(folder, entry.name), name, age_ms)))
  }
  return removed
}

async function isOlder(path: string, age_ms: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null)
  return found !== null && Date.now() - found.mtimeMs >= age_ms
}
