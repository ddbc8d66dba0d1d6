/**
 * Clones that were answered before. What git answers to somebody who has nothing and wants these objects is always the
 * same, and it costs seconds to compute: so it is kept in a file, and equal requests are given its bytes.
 *
 * Nothing is given away that git would refuse: every object of a repository may be had by its id, and objects only vanish
 * in a full repack, after which the repository's answers are forgotten.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readlink, rename, rm, stat, statfs, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { command } from '../process/command.ts'
import type { GitChild } from '../process/run.ts'
import { type Repo, run } from '../repository/repository.ts'
import type { Clone } from '../wire/fetch-request.ts'
import { type Recording, record } from './recording.ts'

/** What a client is given, and how it came about. */
export type Answer = Pick<GitChild, 'stdout' | 'finished'>

export interface CloneCache {
  /** From a file, or together with those who are being answered the same, or from `start`, which runs git. */
  answer: (repo: Repo, clone: Clone, start: () => GitChild, signal?: AbortSignal) => Promise<Answer>
  /** Removes a repository's answers, and those that are being written: objects of it are gone. */
  forget: (repo: Repo) => Promise<void>
}

/** Told of failures that nobody waits for; `message` is constant text. */
export type OnFailure = (error: unknown, message: string) => void

interface Options {
  /** Most bytes of all answers of all repositories. */
  max_bytes?: number
  /** Smaller answers cost little to compute again. */
  min_bytes?: number
  /** So much of the disk stays free. */
  spared_bytes?: number
  /** Told when an answer could not be kept, which fails nobody's request. */
  onFailure?: OnFailure
}

/** A name with a dot in front can be no ref, so nobody can make git read these files as one. */
const folder = '.remembered'
const read_bytes = 256 * 1024

/**
 * @param ledger a folder with a link to each answer, wherever its repository is: who looks for the oldest doesn't have to
 * walk through all repositories
 */
export function openCloneCache(ledger: string, options: Options = {}): CloneCache {
  const { max_bytes = 10 * 1024 ** 3, min_bytes = 256 * 1024, spared_bytes = 1024 ** 3, onFailure = () => {} } = options
  const underWay = new Map<string, Recording>()

  async function answer(repo: Repo, clone: Clone, start: () => GitChild, signal?: AbortSignal): Promise<Answer> {
    const file = join(repo.dir, folder, await keyOf(repo, clone))
    const stored = underWay.has(file) ? null : await openStored(file)
    if (stored)
      return { stdout: stored.createReadStream({ highWaterMark: read_bytes }), finished: Promise.resolve({ code: 0, stderr: '' }) }
    const era = await eraOf(repo)
    const isStillRight = async () => era !== null && era === (await eraOf(repo)) && basename(file) === (await keyOf(repo, clone))
    const meanwhile = underWay.get(file)
    if (meanwhile?.isWhole) return follow(meanwhile, start, signal)
    const recording = record(start(), { min_bytes, ...writer(file, spared_bytes, isStillRight) })
    underWay.set(file, recording)
    const forget = () => void (underWay.get(file) === recording && underWay.delete(file))
    const kept = recording.settled.finally(forget).then(() => enter(ledger, file))
    kept.then(() => trim(ledger, max_bytes)).catch((error: unknown) => onFailure(error, 'answer to a clone not kept'))
    return { stdout: asStream(recording.read(signal)), finished: recording.finished }
  }
  return { answer, forget: ({ dir }) => rm(join(dir, folder), { recursive: true, force: true, maxRetries: 3 }) }
}

/** Everything git's answer depends on. */
async function keyOf(repo: Repo, { digest, includesTags }: Clone): Promise<string> {
  if (!includesTags) return digest
  const tags = await run(repo, command`for-each-ref --format=${'%(objectname) %(refname)'} refs/tags`)
  return createHash('sha256').update(digest).update(tags).digest('hex')
}

/** When it was used last is told by its times. */
async function openStored(file: string): Promise<FileHandle | null> {
  const stored = await open(file).catch(() => null)
  const now = new Date()
  await stored?.utimes(now, now).catch(() => {})
  return stored
}

/** Another after each `forget`: what git began to answer before may hold objects that are gone. Null where nothing can be kept. */
async function eraOf({ dir }: Repo): Promise<string | null> {
  const place = join(dir, folder)
  await mkdir(place).catch(() => {})
  const found = await stat(place).catch(() => null)
  return found && `${found.ino} ${found.birthtimeMs}`
}

/** The file gets its name when it is whole and on disk, so that none is ever found half written. */
function writer(file: string, spared_bytes: number, isStillRight: () => Promise<boolean>) {
  const fresh = `${file}.${randomUUID()}.new`
  return {
    async open(): Promise<FileHandle | null> {
      const { bavail, bsize } = await statfs(dirname(file))
      return bavail * bsize < spared_bytes ? null : open(fresh, 'wx+', 0o600)
    },
    async keep() {
      if (await isStillRight()) await rename(fresh, file)
      else await rm(fresh, { force: true })
    },
    discard: () => rm(fresh, { force: true }),
  }
}

/** Reads along with the one who asked first. When that answer fails before a byte of it went out here, git is asked anew. */
function follow(first: Recording, start: () => GitChild, signal?: AbortSignal): Answer {
  let settle: (outcome: GitChild['finished']) => void = () => {}
  const finished = new Promise<{ code: number; stderr: string }>((resolve) => {
    settle = resolve
  })
  finished.catch(() => {})
  // From now on: git goes on for this one, though the others may leave before it reads.
  const along = first.read(signal)
  async function* bytes(): AsyncGenerator<Buffer, void> {
    let begun = false
    try {
      for await (const chunk of along) {
        begun = true
        yield chunk
      }
      settle(first.finished)
    } catch (error) {
      if (begun || signal?.aborted) {
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

async function enter(ledger: string, file: string): Promise<void> {
  if (!(await stat(file).catch(() => null))) return
  await mkdir(ledger, { recursive: true })
  const name = `${basename(dirname(dirname(file)), '.git')}.${basename(file)}`
  await symlink(relative(ledger, file), join(ledger, name)).catch(() => {})
}

/** Removes those that were not used for longest, until the others are within bounds. */
async function trim(ledger: string, max_bytes: number): Promise<void> {
  const links = await readdir(ledger).catch(() => [])
  const answers = await Promise.all(
    links.map(async (name) => {
      const link = join(ledger, name)
      const found = await stat(link).catch(() => null)
      // Its repository is gone, or was forgotten.
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
