/** Objects as files of a folder: written beside, flushed, then moved to their place as a whole. */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ObjectStore } from './store.ts'

/** What is being stored stands here, under a name of its own. */
const unfinished = '.unfinished'

export async function openFolder(folder: string): Promise<ObjectStore> {
  await mkdir(join(folder, unfinished), { recursive: true, mode: 0o700 })
  return {
    put: (key, source) => put(folder, key, source),
    async open(key, part) {
      const file = await open(join(folder, key), 'r')
      return createReadStream('', { fd: file, ...part })
    },
    remove: (key) => rm(join(folder, key), { force: true }),
    address: async () => null,
    sweep: (age_ms) => sweep(join(folder, unfinished), age_ms),
    close() {},
  }
}

async function put(folder: string, key: string, source: Readable): Promise<void> {
  const draft = join(folder, unfinished, randomUUID())
  const place = join(folder, key)
  try {
    // Flushed before it gets its name: a name never stands for less than the whole.
    await pipeline(source, createWriteStream(draft, { flags: 'wx', flush: true, highWaterMark: 1024 * 1024 }))
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    await rename(draft, place)
    await flushFolder(dirname(place))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The name itself is on disk only once its folder is. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function sweep(folder: string, age_ms: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    if (found && Date.now() - found.mtimeMs > age_ms) await rm(file, { force: true })
  }
}
