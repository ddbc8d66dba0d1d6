/** The folder of the index. Its files can be built again from the repositories, so backups leave them out. */
import { randomUUID } from 'node:crypto'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../../app.ts'
import { createFoldersDurably, renameDurably } from '../../../durable.ts'
import { openSegment, type Segment } from './segment-reader.ts'

const folderOf = ({ config }: App) => join(config.home, 'code-index')

/** The name of a new segment. */
export const newName = () => `${randomUUID()}.segment`

/** Writes a file piece by piece; it is complete and flushed when this resolves. Returns its size in bytes. */
export async function writeSegment(
  app: App,
  name: string,
  write: (append: (bytes: Buffer) => Promise<void>, replace: (bytes: Buffer, at: number) => Promise<void>) => Promise<void>,
): Promise<number> {
  const folder = folderOf(app)
  await createFoldersDurably(folder)
  const fresh = join(folder, `${name}.new`)
  const handle = await open(fresh, 'w')
  let size = 0
  try {
    const append = async (bytes: Buffer) => {
      await handle.writeFile(bytes)
      size += bytes.length
    }
    await write(append, async (bytes, at) => void (await handle.write(bytes, 0, bytes.length, at)))
    await handle.sync()
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await renameDurably(fresh, join(folder, name))
  return size
}

const opened = new WeakMap<App['secrets'], Map<string, Promise<Segment>>>()

/** The segment, which stays open until it is released. Throws if the file is missing. */
export function segmentOf(app: App, name: string): Promise<Segment> {
  const known = opened.get(app.secrets) ?? new Map<string, Promise<Segment>>()
  opened.set(app.secrets, known)
  const found = known.get(name) ?? openSegment(join(folderOf(app), name))
  known.set(name, found)
  found.catch(() => known.delete(name))
  return found
}

/** Running searches may still read a file that was just replaced. */
const patience_ms = 30_000

/** Closes segments that are no longer listed. */
export function releaseOthers(app: App, names: Set<string>): void {
  const known = opened.get(app.secrets) ?? new Map<string, Promise<Segment>>()
  for (const [name, segment] of known) {
    if (names.has(name)) continue
    known.delete(name)
    setTimeout(() => segment.then(({ close }) => close()).catch(() => {}), patience_ms).unref()
  }
}

/** A younger file without a row may be about to get one. */
const young_ms = 60 * 60_000

/** Removes files without a row, and returns the names of rows whose files are missing. */
export async function tidyFolder(app: App, names: Set<string>): Promise<string[]> {
  const folder = folderOf(app)
  const there = new Set(await readdir(folder).catch(() => []))
  for (const name of there) {
    if (names.has(name)) continue
    const found = await stat(join(folder, name)).catch(() => null)
    if (found && Date.now() - found.mtimeMs > young_ms) await rm(join(folder, name), { force: true })
  }
  return [...names].filter((name) => !there.has(name))
}

export async function removeFiles(app: App, names: string[]): Promise<void> {
  for (const name of names) await rm(join(folderOf(app), name), { force: true })
}
