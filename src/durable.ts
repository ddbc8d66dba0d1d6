/**
 * Files that survive a power failure. The bytes of a file are on disk once the file is flushed, its name once its folder is: both must be
 * flushed before a file is acknowledged.
 */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Flushes the entries of a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/**
 * Flushes a folder and those above it, up to and including `top`, even if another process created them: it may not have flushed them yet.
 * @param top `folder` itself, or one above it
 */
export async function syncFolders(folder: string, top: string): Promise<void> {
  for (let at = folder; ; at = dirname(at)) {
    await syncFolder(at)
    if (at === top || at === dirname(at)) return
  }
}

/** Flushes every file and folder below, and the folder itself, concurrently: this shares the cost. For small trees. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const wanted = entries.filter((entry) => entry.isFile() || entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  await Promise.all([...wanted, folder].map(syncFolder))
}

/** Creates a folder and missing ones above it. Node.js's own `recursive` fails with ENOENT if the disk is full. */
export function createFolders(folder: string, mode = 0o777): Promise<void> {
  return createAll(folder, mode, async () => {})
}

/** As `createFolders`, but each new folder is on disk when this resolves. */
export function createFoldersDurably(folder: string, mode = 0o777): Promise<void> {
  return createAll(folder, mode, (created) => syncFolder(dirname(created)))
}

async function createAll(folder: string, mode: number, onCreated: (folder: string) => Promise<void>): Promise<void> {
  let result = await createOne(folder, mode)
  if (result === 'no folder above') {
    await createAll(dirname(folder), mode, onCreated)
    result = await createOne(folder, mode)
  }
  if (result === 'no folder above') throw new Error(`the folder above ${folder} was removed`)
  if (result === 'created') await onCreated(folder)
}

async function createOne(folder: string, mode: number): Promise<'created' | 'there' | 'no folder above'> {
  try {
    await mkdir(folder, mode)
    return 'created'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return 'there'
    if (code === 'ENOENT' && folder !== dirname(folder)) return 'no folder above'
    throw error
  }
}

/** Moves a file or folder, whose content must already be flushed, to its final path. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
}

/**
 * Creates a new file, complete and durable. Returns false, without a change, if it exists: of several concurrent calls one returns true.
 */
export async function createDurably(file: string, content: string | Buffer, mode: number): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, content, { mode, flag: 'wx', flush: true })
    await link(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
    await syncFolder(dirname(file))
  }
}

/** Replaces a file, completely and durably, or leaves the old one. */
export async function writeDurably(file: string, content: string | Buffer, mode: number): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, content, { mode, flag: 'wx', flush: true })
    await renameDurably(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
