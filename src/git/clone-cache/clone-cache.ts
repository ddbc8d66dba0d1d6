/**
 * Cache of clones. Git's answer to a client that has no objects and wants a given set is always the same, and takes seconds to compute, so
 * it is kept in a file and equal requests get its bytes. The cache gives access to nothing that git would refuse: every object of a
 * repository may be fetched by its id, and objects vanish only in a full repack, which evicts the answers of the repository. The wanted ids
 * are part of the digest that names a file, so a push needs no invalidation. Alternatives: precomputed bundles would have to be announced
 * to clients, with a way to authorize their download; memory is too small; a proxy can't know who may read. The folder can be deleted at
 * any time, and backups leave it out.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readlink, rename, rm, stat, statfs, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import type { GitChild } from '../process/run.ts'
import { openReply, type SharedReply } from './shared-reply.ts'

/** The reply for a client, and how git ended. */
export type Answer = Pick<GitChild, 'stdout' | 'finished'>

export interface CachedRequest {
  /** The repository. */
  dir: string
  /** A key of everything that git's answer depends on at this moment: equal keys mean equal answers. */
  key: () => Promise<string>
}

export interface CloneCache {
  /** Answers from a file, from an equal request that is under way, or from `start`, which runs git. */
  answer: (request: CachedRequest, start: () => GitChild, signal?: AbortSignal) => Promise<Answer>
  /** Removes the answers of a repository, also those being written, because some of its objects are gone. */
  evict: (dir: string) => Promise<void>
}

/** Called with failures that nobody waits for; `message` is constant text. */
export type OnFailure = (error: unknown, message: string) => void

interface Options {
  /** Limit of all answers of all repositories together. */
  max_bytes?: number
  /** Smaller answers are not kept: they cost little to compute again. */
  min_bytes?: number
  /** Free space that must remain on the disk. */
  spared_bytes?: number
  /** Called when an answer could not be kept, which fails no request. */
  onFailure?: OnFailure
}

/** No ref name may begin with a dot, so nobody can make git read these files as refs. */
const folder = '.remembered'
const read_bytes = 256 * 1024

/** @param ledger a folder with a link to each answer of any repository, so that the oldest is found without visiting every repository */
export function openCloneCache(ledger: string, options: Options = {}): CloneCache {
  const { max_bytes = 10 * 1024 ** 3, min_bytes = 256 * 1024, spared_bytes = 1024 ** 3, onFailure = () => {} } = options
  const underWay = new Map<string, SharedReply>()

  async function answer({ dir, key }: CachedRequest, start: () => GitChild, signal?: AbortSignal): Promise<Answer> {
    const file = join(dir, folder, await key())
    const stored = underWay.has(file) ? null : await openStored(file)
    if (stored)
      return { stdout: stored.createReadStream({ highWaterMark: read_bytes }), finished: Promise.resolve({ code: 0, stderr: '' }) }
    const generation = await generationOf(dir)
    const isValid = async () => generation !== null && generation === (await generationOf(dir)) && basename(file) === (await key())
    const meanwhile = underWay.get(file)
    if (meanwhile?.isWhole) return follow(meanwhile, start, signal)
    const reply = openReply(start(), { min_bytes, ...writer(file, spared_bytes, isValid) })
    underWay.set(file, reply)
    const remove = () => void (underWay.get(file) === reply && underWay.delete(file))
    const kept = reply.settled.finally(remove).then(() => addToLedger(ledger, file))
    kept.then(() => trim(ledger, max_bytes)).catch((error: unknown) => onFailure(error, 'clone cache: answer not kept'))
    return { stdout: asStream(reply.read(signal)), finished: reply.finished }
  }
  return { answer, evict: (dir) => rm(join(dir, folder), { recursive: true, force: true, maxRetries: 3 }) }
}

/** Touches the file: its times record the last use. */
async function openStored(file: string): Promise<FileHandle | null> {
  const stored = await open(file).catch(() => null)
  const now = new Date()
  await stored?.utimes(now, now).catch(() => {})
  return stored
}

/** A new value after each `evict`: an answer that git began before it may contain objects that are gone. Null if nothing can be kept. */
async function generationOf(dir: string): Promise<string | null> {
  const place = join(dir, folder)
  await mkdir(place).catch(() => {})
  const found = await stat(place).catch(() => null)
  return found && `${found.ino} ${found.birthtimeMs}`
}

/** The file gets its name only when it is complete and on disk, so that nobody finds a partial one. */
function writer(file: string, spared_bytes: number, isValid: () => Promise<boolean>) {
  const fresh = `${file}.${randomUUID()}.new`
  return {
    async open(): Promise<FileHandle | null> {
      const { bavail, bsize } = await statfs(dirname(file))
      return bavail * bsize < spared_bytes ? null : open(fresh, 'wx+', 0o600)
    },
    async keep() {
      if (await isValid()) await rename(fresh, file)
      else await rm(fresh, { force: true })
    },
    discard: () => rm(fresh, { force: true }),
  }
}

/** Streams the reply to an earlier request. If that fails before the first byte was sent to this client, git is started again. */
function follow(first: SharedReply, start: () => GitChild, signal?: AbortSignal): Answer {
  let settle: (outcome: GitChild['finished']) => void = () => {}
  const finished = new Promise<{ code: number; stderr: string }>((resolve) => {
    settle = resolve
  })
  finished.catch(() => {})
  // Registers the reader at once: git continues for it even if all other readers leave before it reads.
  const chunks = first.read(signal)
  async function* bytes(): AsyncGenerator<Buffer, void> {
    let hasBegun = false
    try {
      for await (const chunk of chunks) {
        hasBegun = true
        yield chunk
      }
      settle(first.finished)
    } catch (error) {
      if (hasBegun || signal?.aborted) {
        settle(Promise.reject(error))
        throw error
      }
      const own = start()
      signal?.addEventListener('abort', () => own.kill(), { once: true })
      settle(own.finished)
      yield* own.stdout as AsyncIterable<Buffer>
    } finally {
      settle(first.finished)
    }
  }
  return { stdout: asStream(bytes()), finished }
}

function asStream(bytes: AsyncIterable<Buffer>): Readable {
  return Readable.from(bytes, { objectMode: false })
}

async function addToLedger(ledger: string, file: string): Promise<void> {
  if (!(await stat(file).catch(() => null))) return
  await mkdir(ledger, { recursive: true })
  const name = `${basename(dirname(dirname(file)), '.git')}.${basename(file)}`
  await symlink(relative(ledger, file), join(ledger, name)).catch(() => {})
}

/** Removes the least recently used answers until the rest fits into `max_bytes`. */
async function trim(ledger: string, max_bytes: number): Promise<void> {
  const links = await readdir(ledger).catch(() => [])
  const answers = await Promise.all(
    links.map(async (name) => {
      const link = join(ledger, name)
      const found = await stat(link).catch(() => null)
      // The repository was removed, or its answers were evicted.
      if (!found) await rm(link, { force: true })
      return { link, size: found?.size ?? 0, used_ms: found?.mtimeMs ?? 0 }
    }),
  )
  answers.sort((a, b) => b.used_ms - a.used_ms)
  let total = 0
  for (const { link, size } of answers) {
    total += size
    if (total <= max_bytes || size === 0) continue
    const target = await readlink(link).catch(() => null)
    if (target) await rm(join(ledger, target), { force: true })
    await rm(link, { force: true })
  }
}
