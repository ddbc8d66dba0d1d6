/**
 * Fetches all branches and tags of an untrusted remote repository: from the given addresses only, over HTTP only, without
 * redirects, and within a limit.
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
  /** More than this on disk is refused. */
  max_bytes: number
  deadline_ms: number
  signal?: AbortSignal | undefined
}

const headDeadline_ms = 60_000
const watch_ms = 500

/**
 * Brings the branches and tags into a repository that has none; all of them appear, or none. Gives the name of the branch the
 * other's HEAD names, null where it has none. Throws a Failure whose message gives users the reason.
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
  // To git any page of any server is a repository of the old kind, and an empty one.
  if (!/packet: .*git< (# service=git-upload-pack|version \d)/.test(trace)) throw new Failure('invalid', notSpoken)
  // An empty one has no depth.
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

/** Nobody may push a branch or tag of such a name, and none comes in another way. */
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

/**
 * The depth that means all of it. Git refuses to ask servers of the old kind for any: they give files one by one, which git
 * takes without a look into them.
 */
const everything = '--depth=2147483647'

function tooLarge({ max_bytes }: FetchLimits): Failure {
  return new Failure('too_large', `The repository is larger than ${Math.floor(max_bytes / 1024 ** 2)} MB`)
}

/** Sums the size of packs on disk, finished or not. */
async function packs_bytes({ dir }: Repo): Promise<number> {
  const folder = join(dir, 'objects', 'pack')
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)))
  return found.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}
