/** Objects as files of a folder: written beside, flushed, then moved to their place as a whole. */
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createFolders, syncFolders } from '../durable.ts'
import { isStorageFull, storageFull } from '../failure.ts'
import { noSuchObject, requireKey } from './keys.ts'
import type { ObjectStore, Part } from './object-store.ts'

/** What is being stored stands here until it is whole. No key begins with a dot. */
const unfinished = '.unfinished'

/** Of one read and of what waits to be written: with less, a large file is slower than the disk. */
const atOnce_bytes = 1024 * 1024

export async function openFolder(folder: string): Promise<ObjectStore> {
  await createFolders(join(folder, unfinished), 0o700)
  return {
    put: (key, source) => put(folder, requireKey(key), source),
    open: (key, part) => openFile(join(folder, requireKey(key)), part),
    async remove(key) {
      // In this order: what a put moves to its place in between is then removed there.
      await rm(draftOf(folder, requireKey(key)), { force: true })
      await rm(join(folder, key), { force: true })
    },
    address: async () => null,
    close() {},
  }
}

/** Told by the key, so that whoever removes a key finds what a crash has left of it. */
function draftOf(folder: string, key: string): string {
  return join(folder, unfinished, key.replaceAll('/', '.'))
}

async function put(folder: string, key: string, source: Readable): Promise<void> {
  const draft = draftOf(folder, key)
  const place = join(folder, key)
  let file: WriteStream | null = null
  try {
    await createFolders(dirname(place), 0o700)
    // Flushed before it gets its name: a name never stands for less than the whole.
    file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: atOnce_bytes })
    await pipeline(source, file)
    await rename(draft, place)
    await syncFolders(dirname(place), folder)
  } catch (error) {
    const { code } = error as { code?: string }
    // A source may fail before the file is there: removed by then, it would come after all.
    if (file) await closed(file)
    // Then the draft is that of another put of the same key.
    if (code !== 'EEXIST') await rm(draft, { force: true })
    throw isStorageFull(error) ? storageFull(error) : error
  }
}

/** However it ended. */
function closed(file: WriteStream): Promise<void> {
  return new Promise((resolve) => (file.closed ? resolve() : void file.once('close', () => resolve())))
}

async function openFile(path: string, part: Part | undefined): Promise<Readable> {
  try {
    const file = await open(path, 'r')
    return createReadStream('', { fd: file, highWaterMark: atOnce_bytes, ...part })
  } catch (error) {
    throw (error as { code?: string }).code === 'ENOENT' ? noSuchObject(error) : error
  }
}
