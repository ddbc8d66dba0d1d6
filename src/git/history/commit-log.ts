/** Streams the output of `git log`: any number of commits and their line counts in little memory. */

import { gitFailure } from '../process/git-failure.ts'
import { recordSplitter } from '../process/nul-splitter.ts'
import { type Repo, startIn } from '../repository/repository.ts'

export interface LoggedCommit {
  oid: string
  parents: string[]
  /** Commit time in seconds since the epoch; 0 if it can't be parsed. */
  committed_at: number
  /** The author as written in the commit, without a mailmap. */
  name: string
  email: string
  /** Lines added in all files that are not binary; 0 for a merge. */
  additions: number
  deletions: number
}

export interface Walk {
  /** Commit ids. The walk visits all ancestors of these, except those of `without`. */
  from: Iterable<string>
  without: Iterable<string>
  /** Whether a commit is visited before its parents or after them. */
  order: 'parents first' | 'children first'
  /** Whether to count lines, which is the expensive part. */
  with_lines: boolean
  /** The walk ends early when this much time has passed since its first commit. */
  max_ms: number
  /** For background work, for which no client waits. */
  in_background?: boolean
}

/** Allows for histories so long that git needs minutes before its first output. */
const deadline_ms = 4 * 60_000

/** Calls `visit` with each commit of the walk, at least one if there are any. Returns whether the walk reached its end. */
export function walkCommits(repo: Repo, walk: Walk, visit: (commit: LoggedCommit) => void): Promise<boolean> {
  // The queue limits background work, which must not delay requests here.
  return walk.in_background ? runWalk(repo, walk, visit) : repo.git.costly.run(repo, () => runWalk(repo, walk, visit))
}

async function runWalk(repo: Repo, walk: Walk, visit: (commit: LoggedCommit) => void): Promise<boolean> {
  const args = ['log', '--stdin', '-z', '--topo-order', '--encoding=UTF-8', '--no-color', '--no-notes', '--format=%H%n%P%n%ct%n%ae%n%an']
  if (walk.order === 'parents first') args.push('--reverse')
  // These options match those of `stats` for a single commit, so that a contributor's numbers are the sums of theirs.
  if (walk.with_lines) args.push('--numstat', '--root', '--diff-merges=off', '--no-renames', '--no-ext-diff', '--no-textconv')
  const child = startIn(repo, args, { deadline_ms, low_priority: walk.in_background ?? false })
  child.stdin.end(`${[...walk.from, ...[...walk.without].map((oid) => `^${oid}`)].join('\n')}\n`)
  let ends_at: number | undefined
  let stopped = false
  const reader = logReader((commit) => {
    if (stopped) return
    ends_at ??= performance.now() + walk.max_ms
    visit(commit)
    stopped = performance.now() >= ends_at
  })
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    reader.take(chunk)
    if (!stopped) continue
    child.kill()
    return false
  }
  const { code, stderr } = await child.finished
  if (code !== 0) throw gitFailure(args, code, stderr)
  reader.end()
  return !stopped
}

interface LogReader {
  take: (chunk: Buffer) => void
  /** Called at the end of the output: the last commit is complete, too. */
  end: () => void
}

/**
 * Parses records ended by NUL: five lines for a commit (id, parents, time, email address, name), then `added\tdeleted\tpath` for each file,
 * with `-` for both numbers of a binary file. A commit is emitted when the next one begins.
 */
export function logReader(onCommit: (commit: LoggedCommit) => void): LogReader {
  let current: LoggedCommit | undefined
  const take = recordSplitter((record) => {
    const numbers = /^\n?(\d+|-)\t(\d+|-)\t/.exec(record.toString('latin1', 0, 64))
    if (numbers && current) {
      current.additions += Number(numbers[1]) || 0
      current.deletions += Number(numbers[2]) || 0
    } else if (record.length > 0) {
      if (current) onCommit(current)
      current = parseHeader(record)
    }
  })
  return {
    take,
    end() {
      if (current) onCommit(current)
      current = undefined
    },
  }
}

function parseHeader(record: Buffer): LoggedCommit {
  const [oid = '', parents = '', committed_at, email = '', name = ''] = record.toString('utf8').replace(/^\n/, '').split('\n')
  return {
    oid,
    parents: parents === '' ? [] : parents.split(' '),
    committed_at: Number(committed_at) || 0,
    name,
    email,
    additions: 0,
    deletions: 0,
  }
}
