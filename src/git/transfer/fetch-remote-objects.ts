/** Fetches objects of an untrusted remote repository into one of ours, checked as in a push; no ref moves. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import type { Repo } from '../repository/repository.ts'
import { missingObjects } from './copy.ts'
import { type Connection, runRemotely } from './remote-command.ts'

export interface ObjectLimits {
  /** More than this on disk is an error. */
  max_bytes: number
  deadline_ms: number
  signal: AbortSignal
}

const watch_ms = 500
const otherwise = 'Git could not fetch the repository'
/** Objects per command: their ids are arguments. */
const batch = 1_000

/**
 * Fetches these tips of the remote refs with their histories: each batch completely or not at all. Throws a Failure whose message gives
 * users the reason, also if a ref has moved since it was listed.
 */
export async function fetchRemoteObjects(repo: Repo, connection: Connection, tips: Iterable<string>, limits: ObjectLimits): Promise<void> {
  const lacking = await missingObjects(repo, tips)
  for (let at = 0; at < lacking.length; at += batch) await fetchBatch(repo, connection, lacking.slice(at, at + batch), limits)
}

async function fetchBatch(
  repo: Repo,
  connection: Connection,
  oids: string[],
  { max_bytes, deadline_ms, signal }: ObjectLimits,
): Promise<void> {
  await inQuarantine(repo, async (env) => {
    const folder = join(env.GIT_OBJECT_DIRECTORY ?? '', 'pack')
    const tooMuch = new AbortController()
    const isTooMuch = async () => (await sizeOf(folder)) > max_bytes
    const watch = setInterval(() => void isTooMuch().then((is) => is && tooMuch.abort()), watch_ms)
    // With a depth, git refuses dumb HTTP servers, whose files it would accept unchecked.
    const words = ['--quiet', '--no-progress', '--no-write-fetch-head', '--no-tags', '--no-auto-maintenance', '--no-recurse-submodules']
    const args = (url: string) => ['-c', 'fetch.unpackLimit=1', 'fetch', ...words, '--depth=2147483647', '--', url, ...oids]
    const options = { env, deadline_ms, otherwise, signal: AbortSignal.any([signal, tooMuch.signal]) }
    try {
      const { code } = await runRemotely(repo, connection, 'git-upload-pack', args, options)
      if (code !== 0) throw new Failure('invalid', otherwise)
    } catch (error) {
      throw tooMuch.signal.aborted
        ? new Failure('too_large', `The repository is larger than ${Math.floor(max_bytes / 1024 ** 2)} MB`)
        : error
    } finally {
      clearInterval(watch)
    }
    await assertWhole(repo)
  })
}

/** Fetching from a shallow repository would make ours shallow. */
async function assertWhole({ dir }: Repo): Promise<void> {
  const file = join(dir, 'shallow')
  if ((await stat(file).catch(() => null)) === null) return
  await rm(file, { force: true })
  throw new Failure('invalid', 'The repository lacks a part of its history')
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)))
  return found.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}
