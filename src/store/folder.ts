/** Object store in a folder: an object is written to a temporary file, flushed, then renamed. */
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createFolders, syncFolders } from '../durable.ts'
import { isStorageFull, storageFull } from '../failure.ts'
import { withChecksum } from './checksum.ts'
import { noSuchObject, requireKey } from './keys.ts'
import type { ObjectStore, Part } from './object-store.ts'
import { openDraft, removeForgotten, type TempFile } from './temp-file.ts'

/** Folders of unfinished files, of a key and not yet of one. No key begins with a dot. */
const unfinished = '.unfinished'
const drafts = '.drafts'

/** Size of reads and of the write buffer: smaller ones make large files slower than the disk. */
const atOnce_bytes = 1024 * 1024

export async function openFolder(folder: string): Promise<ObjectStore> {
  await createFolders(join(folder, unfinished), 0o700)
  return {
    put: (key, source) => put(folder, requireKey(key), source),
    openDraft: () => openDraft(join(folder, drafts)),
    putDraft: (key, draft, beforeEnd) => putDraft(folder, requireKey(key), draft, beforeEnd),
    removeForgotten: () => removeForgotten(join(folder, drafts)),
    open: (key, part) => openFile(join(folder, requireKey(key)), part),
    async remove(key) {
      // In this order, a file that a concurrent put renames in between is removed at its final path.
      await rm(temporaryPath(folder, requireKey(key)), { force: true })
      await rm(join(folder, key), { force: true })
    },
    address: async () => null,
    close() {},
  }
}

/** Derived from the key, so that removing a key also removes what a crash left of it. */
function temporaryPath(folder: string, key: string): string {
  return join(folder, unfinished, key.replaceAll('/', '.'))
}

async function put(folder: string, key: string, source: Readable): Promise<void> {
  const draft = temporaryPath(folder, key)
  const place = join(folder, key)
  let file: WriteStream | null = null
  try {
    await createFolders(dirname(place), 0o700)
    // Flushed before the rename: an object is complete or absent.
    file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: atOnce_bytes })
    await pipeline(source, file)
    await rename(draft, place)
    await syncFolders(dirname(place), folder)
  } catch (error) {
    const { code } = error as { code?: string }
    // The source may fail before the file is created. Without waiting, the file would be created after its removal.
    if (file) await closed(file)
    // EEXIST: the file belongs to another put of the same key.
    if (code !== 'EEXIST') await rm(draft, { force: true })
    throw isStorageFull(error) ? storageFull(error) : error
  }
}

/** Gives the file its name as an object, flushed before, as above. */
async function putDraft(folder: string, key: string, draft: TempFile, beforeEnd: () => Promise<void>): Promise<void> {
  if (draft.path === null) return put(folder, key, withChecksum(draft.open(), draft.sum(), beforeEnd))
  const place = join(folder, key)
  try {
    await draft.flush()
    await createFolders(dirname(place), 0o700)
    await beforeEnd()
    await rename(draft.path, place)
    await syncFolders(dirname(place), folder)
  } catch (error) {
    throw isStorageFull(error) ? storageFull(error) : error
  }
}

/** Waits until the file is closed, whether or not writing succeeded. */
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
