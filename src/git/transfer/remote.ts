/**
 * Fetches all branches and tags of an untrusted remote repository: only from the given addresses, only over HTTP, without redirects, and
 * within a size limit.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { extraConfig } from '../process/extra-config.ts'
import { failureIn } from '../process/git-failure.ts'
import { refError } from '../refs/names.ts'
import { allRefs } from '../refs/refs.ts'
import { captureIn, type Repo } from '../repository/repository.ts'
import { allBranchesAndTags, withoutFlush } from './mirror.ts'
import { notSpoken, type Remote, refusalIn, settingsFor } from './remote-http.ts'

export type { Remote } from './remote-http.ts'

export interface FetchLimits {
  /** More than this on disk is an error. */
  max_bytes: number
  deadline_ms: number
  signal?: AbortSignal | undefined
}

const headDeadline_ms = 60_000
const watch_ms = 500

/**
 * Fetches the branches and tags into a repository that has none: all or none. Returns the branch that the remote's HEAD names; null if
 * there is none. Throws a Failure whose message gives users the reason.
 */
export async function fetchRemote(repo: Repo, remote: Remote, limits: FetchLimits): Promise<string | null> {
  const env = extraConfig([...settingsFor(remote), ...withoutFlush])
  const tooMuch = new AbortController()
  const signal = AbortSignal.any([tooMuch.signal, ...(limits.signal ? [limits.signal] : [])])
  const asking = { env: { ...env, GIT_TRACE_PACKET: '1' }, signal, deadline_ms: headDeadline_ms }
  const { output: refs, stderr: trace } = await runRemote(
    repo,
    ['ls-remote', '--symref', '--', remote.url, 'HEAD', 'refs/heads/*', 'refs/tags/*'],
    asking,
  )
  // Git takes any web page for an empty repository on a dumb HTTP server.
  if (!/packet: .*git< (# service=git-upload-pack|version \d)/.test(trace)) throw new Failure('invalid', notSpoken)
  // A depth can't be requested of an empty repository.
  if (refs === '') return null
  const isTooMuch = async () => (await packs_bytes(repo)) > limits.max_bytes
  const watch = setInterval(() => void isTooMuch().then((is) => is && tooMuch.abort()), watch_ms)
  try {
    await runRemote(repo, ['fetch', everything, ...allBranchesAndTags(remote.url)], { env, signal, deadline_ms: limits.deadline_ms })
  } catch (error) {
    throw tooMuch.signal.aborted ? tooLarge(limits) : error
  } finally {
    clearInterval(watch)
  }
  if (await isTooMuch()) throw tooLarge(limits)
  await assertNoMisleadingRefs(repo)
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(refs)?.[1] ?? null
}

/** Nobody may push a branch or tag with a misleading name, so none may be imported either. */
async function assertNoMisleadingRefs(repo: Repo): Promise<void> {
  for (const ref of (await allRefs(repo)).keys()) {
    const fieldError = refError(ref)
    if (fieldError !== null) throw new Failure('invalid', fieldError)
  }
}

async function runRemote(
  repo: Repo,
  args: string[],
  options: { env: Record<string, string>; signal: AbortSignal; deadline_ms: number },
): Promise<{ output: string; stderr: string }> {
  const { output, code, stderr } = await captureIn(repo, args, { ...options, accept: [1, 128] })
  if (code !== 0) throw refusalIn(stderr, await failureIn(repo.dir, args, code, stderr))
  return { output: output.toString('utf8'), stderr }
}

/** A depth that means the whole history. Git then refuses dumb HTTP servers, whose files it would accept unchecked. */
const everything = '--depth=2147483647'

function tooLarge({ max_bytes }: FetchLimits): Failure {
  return new Failure('too_large', `The repository is larger than ${Math.floor(max_bytes / 1024 ** 2)} MB`)
}

/** Total size of packs on disk, complete or not. */
async function packs_bytes({ dir }: Repo): Promise<number> {
  const folder = join(dir, 'objects', 'pack')
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)))
  return found.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}
