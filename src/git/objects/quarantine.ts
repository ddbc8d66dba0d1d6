/**
 * Quarantine for objects that our own commands write (commits, tags, trees): a separate folder, from which they are moved to the repository
 * when all are complete. A command that fails, for example on a full disk, leaves nothing behind; moved objects are on disk.
 */
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder } from '../../durable.ts'
import { extraConfig } from '../process/extra-config.ts'
import type { Repo } from '../repository/repository.ts'

/** Environment in which git sees the repository together with the quarantine. Paths are quoted, since a colon separates folders there. */
export function withQuarantine(repo: Repo, quarantine: string): Record<string, string> | undefined {
  if (quarantine === '') return undefined
  const objects = `"${`${repo.dir}/objects`.replace(/[\\"]/g, '\\$&')}"`
  return { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }
}

/** @param work gets the environment in which git writes to the quarantine and reads from both */
export async function inQuarantine<T>(repo: Repo, work: (env: Record<string, string>) => Promise<T>): Promise<T> {
  // `removeStaleFiles` relies on this name.
  const folder = await mkdtemp(join(repo.dir, 'objects', 'tmp_objdir-own-'))
  try {
    const result = await work(withQuarantine(repo, folder) ?? {})
    await adopt(join(repo.dir, 'objects'), folder)
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** As `inQuarantine`, for temporary objects that only the answer needs: they are not kept, and git doesn't flush them. */
export async function inScratch<T>(repo: Repo, work: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(repo.dir, 'objects', 'tmp_objdir-own-'))
  try {
    return await work({ ...withQuarantine(repo, folder), ...extraConfig([['core.fsync', 'none']]) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const looseFolder = /^[0-9a-f]{2}$/

/** Moves the files of a pack in git's order: the index last, since git finds the pack by it. */
async function adopt(objects: string, folder: string): Promise<void> {
  const changed = new Set<string>()
  for (const name of await readdir(folder)) {
    if (!looseFolder.test(name) && name !== 'pack') continue
    const found = await readdir(join(folder, name))
    const files = name === 'pack' ? packsIn(found).flat() : found.filter((file) => /^[0-9a-f]{38,62}$/.test(file))
    if (files.length === 0) continue
    for (const file of files) if (await move(join(folder, name, file), join(objects, name))) changed.add(objects)
    changed.add(join(objects, name))
  }
  await Promise.all([...changed].map(syncFolder))
}

/** Files of each pack among these names, the index last. */
export function packsIn(names: string[]): string[][] {
  const there = new Set(names)
  const packs = names.filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name)).map((name) => name.slice(0, -'.idx'.length))
  return packs.map((pack) => ['.pack', '.rev', '.mtimes', '.idx'].map((end) => `${pack}${end}`).filter((name) => there.has(name)))
}

/** Returns true if the folder had to be created: housekeeping removes empty folders of loose objects. */
async function move(file: string, folder: string): Promise<boolean> {
  for (let made = false; ; made = true) {
    try {
      await rename(file, join(folder, basename(file)))
      return made
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** The folders of the repository to which git will move the objects of a push in quarantine. */
export async function foldersOf(quarantine: string): Promise<string[]> {
  if (quarantine === '') return []
  return (await readdir(quarantine)).filter((name) => looseFolder.test(name) || name === 'pack')
}

/** Bytes of the objects in a quarantine. */
export async function quarantineSize(quarantine: string): Promise<number> {
  const files = await Promise.all((await foldersOf(quarantine)).map((name) => filesIn(join(quarantine, name))))
  const sizes = await Promise.all(files.flat().map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).map((name) => join(folder, name))
}

/** Flushes these folders of objects after git has moved files there: git flushes files, but not folders. */
export async function flushObjects({ dir }: Repo, folders: string[]): Promise<void> {
  if (folders.length === 0) return
  const objects = join(dir, 'objects')
  // Housekeeping may have packed the loose objects and removed their folder.
  const there = await Promise.all(folders.map((name) => syncFolder(join(objects, name)).catch(ignoreMissing)))
  if (there.length > 0) await syncFolder(objects)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
