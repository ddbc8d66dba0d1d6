/** Mirrors our branches and tags to a remote repository: pushes the differences, but never refs of the service. */
import { Failure } from '../../failure.ts'
import { isAncestor } from '../history/ancestry.ts'
import { branchOf, tagOf } from '../refs/ref-updates.ts'
import type { Repo } from '../repository/repository.ts'
import { missingObjects } from './copy.ts'
import { type Connection, type RemoteOptions, runRemotely } from './remote-command.ts'
import { refusalIn } from './remote-http.ts'

export interface PushPlan {
  /** For each ref, its object here (null to delete it) and at the remote (null if it is new there). */
  moves: Array<{ ref: string; after: string | null; before: string | null }>
  /** Refs that others have moved or created at the remote; they are not changed. */
  diverged: string[]
}

export interface PushOptions extends Omit<RemoteOptions, 'otherwise' | 'env'> {
  /** Whether to keep refs with commits that only the remote has, instead of overwriting them. */
  keeps_diverged: boolean
}

const askDeadline_ms = 60_000
/** Refs per command: their names are arguments. */
const batch = 200

/** The branches and tags of the remote, by full name. Throws as `runRemotely` does. */
export async function listRemote(repo: Repo, connection: Connection, signal: AbortSignal): Promise<Map<string, string>> {
  const options = { signal, deadline_ms: askDeadline_ms, otherwise: 'The refs of the repository could not be listed' }
  const args = (url: string) => ['ls-remote', '--refs', '--', url, 'refs/heads/*', 'refs/tags/*']
  const { output } = await runRemotely(repo, connection, 'git-upload-pack', args, options)
  const found = output.split('\n').flatMap((line) => {
    const [, oid, ref] = /^([0-9a-f]{40})\t(\S+)$/.exec(line) ?? []
    return oid !== undefined && ref !== undefined && isMirrored(ref) ? [[ref, oid] as const] : []
  })
  return new Map(found)
}

function isMirrored(ref: string): boolean {
  return branchOf(ref) !== null || tagOf(ref) !== null
}

/**
 * Plans the push after which the remote has `ours`. A ref that only the remote has is deleted if its object is known here: then nothing is
 * lost, and the ref was deleted here.
 * @param isWanted whether the mirror covers a ref, of ours or of the remote
 */
export async function planPush(
  repo: Repo,
  ours: Map<string, string>,
  theirs: Map<string, string>,
  { keeps_diverged, isWanted }: { keeps_diverged: boolean; isWanted: (ref: string) => boolean },
): Promise<PushPlan> {
  const plan: PushPlan = { moves: [], diverged: [] }
  const unknown = new Set(await missingObjects(repo, theirs.values()))
  for (const [ref, after] of ours) {
    const before = theirs.get(ref) ?? null
    if (before === after || !isMirrored(ref) || !isWanted(ref)) continue
    const isKept = keeps_diverged && before !== null && !(await goesForward(repo, ref, before, after, unknown))
    if (isKept) plan.diverged.push(ref)
    else plan.moves.push({ ref, after, before })
  }
  for (const [ref, before] of theirs) {
    if (!ours.has(ref) && isWanted(ref) && !unknown.has(before)) plan.moves.push({ ref, after: null, before })
  }
  return plan
}

async function goesForward(repo: Repo, ref: string, before: string, after: string, unknown: Set<string>): Promise<boolean> {
  return branchOf(ref) !== null && !unknown.has(before) && isAncestor(repo, before, after)
}

/**
 * Pushes each ref only if it is still where it was when it was listed. Returns the refs that were rejected. Throws as `runRemotely` does.
 */
export async function pushRemote(
  repo: Repo,
  connection: Connection,
  moves: PushPlan['moves'],
  { signal, deadline_ms }: Omit<RemoteOptions, 'otherwise' | 'env'>,
): Promise<string[]> {
  const rejected: string[] = []
  const options = { signal, deadline_ms, otherwise: 'The repository could not be pushed' }
  for (let at = 0; at < moves.length; at += batch) {
    const part = moves.slice(at, at + batch)
    const args = (url: string) => [
      ...['push', '--porcelain', '--no-verify', '--no-signed', '--no-follow-tags', '--no-recurse-submodules', '--quiet'],
      ...part.map(({ ref, before }) => `--force-with-lease=${ref}:${before ?? ''}`),
      ...['--', url],
      ...part.map(({ ref, after }) => `${after ?? ''}:${ref}`),
    ]
    const { output, code, stderr } = await runRemotely(repo, connection, 'git-receive-pack', args, options)
    const refused = rejectedIn(output)
    // Git also exits with 1 if the remote hung up.
    if (code !== 0 && refused.length === 0) throw refusalIn(stderr, new Failure('git_failed', stderr), options.otherwise)
    rejected.push(...refused)
  }
  return rejected
}

/** Parses `!<tab>from:to<tab>[remote rejected] (reason of the remote, which is not shown)`. */
function rejectedIn(output: string): string[] {
  return output.split('\n').flatMap((line) => /^!\t[^\t:]*:(\S+)\t/.exec(line)?.[1] ?? [])
}
