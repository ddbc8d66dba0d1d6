/** Compares two commits: the commits that one has and the other doesn't, and the files they changed. */
import { Failure } from '../../failure.ts'
import { mergeBase } from '../history/merge-base.ts'
import type { Commit } from '../objects/parse.ts'
import { bytesOfCommits, readCommitsWithin } from '../objects/read.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly } from '../repository/repository.ts'
import { bytesOfDiff, type DiffPage, readDiff } from './diff.ts'
import type { FileDiff } from './diff-reader.ts'

export interface Comparison {
  /** Oldest first. If there are more than `maxCommits`, or their messages are too large for one answer, only the newest. */
  commits: Commit[]
  /** The first `maxFiles` files. */
  diffs: FileDiff[]
  /** True if commits or files are missing because there are too many or the deadline passed. */
  cut: boolean
}

export const maxCommits = 1_000
export const maxFiles = 1_000
const usualDeadline_ms = 15_000

/**
 * Compares two commits by id: what `to` has and `from` doesn't. With `straight`, the trees of both commits are compared; otherwise `to` is
 * compared with the merge base. Without a common ancestor, all files of `to` count as added. Three processes, cached. What isn't known at
 * the deadline is left out.
 */
export async function compareCommits(
  repo: Repo,
  from: string,
  to: string,
  { straight, deadline_ms = usualDeadline_ms }: { straight: boolean; deadline_ms?: number },
): Promise<Comparison> {
  return cached(
    repo.git.cache,
    `${repo.dir} compare ${from} ${to} ${straight}`,
    async () => {
      const [commits, changes] = await Promise.all([
        inTime(commitsBetween(repo, from, to, deadline_ms), { commits: [], more: false }),
        inTime(changesBetween(repo, { from, to, straight, deadline_ms }), { rows: [], total: 0, timedOut: null }),
      ])
      const late = commits.late || changes.late || changes.value.timedOut !== null
      const more = commits.value.more || changes.value.total > changes.value.rows.length
      return { commits: commits.value.commits, diffs: changes.value.rows, cut: late || more, late }
    },
    // Not cached: a later request may have enough time.
    ({ commits, diffs, late }) => (late ? Number.POSITIVE_INFINITY : bytesOfCommits(commits) + bytesOfDiff(diffs)),
  )
}

async function inTime<T>(work: Promise<T>, otherwise: T): Promise<{ value: T; late: boolean }> {
  try {
    return { value: await work, late: false }
  } catch (error) {
    if (error instanceof Failure && error.code === 'timed_out') return { value: otherwise, late: true }
    throw error
  }
}

async function commitsBetween(repo: Repo, from: string, to: string, deadline_ms: number): Promise<{ commits: Commit[]; more: boolean }> {
  const args = ['rev-list', `--max-count=${maxCommits + 1}`, to, `^${from}`, '--']
  const oids = lines(await runCostly(repo, args, { deadline_ms }))
  const newest = await readCommitsWithin(repo, oids.slice(0, maxCommits))
  return { commits: newest.reverse(), more: oids.length > newest.length }
}

interface Ends {
  from: string
  to: string
  straight: boolean
  deadline_ms: number
}

async function changesBetween(repo: Repo, { from, to, straight, deadline_ms }: Ends): Promise<DiffPage & { timedOut: Failure | null }> {
  const base = straight ? from : await mergeBase(repo, [from, to])
  return readDiff(repo, base, to, { limit: maxFiles, offset: 0 }, deadline_ms)
}
