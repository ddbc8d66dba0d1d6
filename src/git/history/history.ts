/** Commit history: lists, counts, the last commit of a path, and line counts. */

import type { Commit } from '../objects/parse.ts'
import { pathParts } from '../objects/paths.ts'
import { bytesOfCommits, readCommits } from '../objects/read.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { noteUnknown } from '../repository/ref-reads.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

export interface HistoryQuery {
  /** The commit to start from; null for all refs except those of the service. */
  from: string | null
  /** Only commits that changed this file or folder. */
  path?: string | undefined
  /** Committed at or after this instant, in seconds since the epoch. */
  since?: number | undefined
  /** Committed at or before this instant, in seconds since the epoch. */
  until?: number | undefined
  /** Part of the author's name or email address, case-sensitive. */
  author?: string | undefined
  /** Follows only the first parent of a merge. */
  first_parent?: boolean
  /** `topo`: no commit before all of its children. Otherwise by date. */
  order?: 'default' | 'topo'
}

const serviceRefsExcluded = ['--exclude=refs/merge-requests/*', '--exclude=refs/keep-around/*']

const latest_s = 2 ** 31 - 1
/** Git reads larger numbers wrongly. */
const maxSkipped = 2 ** 31 - 1

interface Span {
  limit: number
  offset: number
}

/**
 * One page of the history, newest first, and the number of all commits of the query.
 * @param page `whole` is the page that it is a part of, if a page is read in parts: git then lists the ids of the whole page at once
 */
export async function listCommits(
  repo: Repo,
  query: HistoryQuery,
  { limit, offset, whole = { limit, offset } }: Span & { whole?: Span | undefined },
): Promise<{ rows: Commit[]; total: number }> {
  const path = query.path ? pathParts(query.path) : []
  const ages = ageFilters(query)
  if (!path || !ages) return { rows: [], total: 0 }
  // Fixed strings, since a pattern of git may take any amount of time.
  const authors = query.author ? ['--fixed-strings', `--author=${query.author}`] : []
  const filters = [...ages, ...authors, ...(query.first_parent ? ['--first-parent'] : [])]
  const order = query.order === 'topo' ? ['--topo-order'] : []
  const start = query.from === null ? [...serviceRefsExcluded, '--all'] : [query.from]
  const scope = [...filters, ...start, '--', ...(path.length > 0 ? [path.join('/')] : [])]
  const key = `${repo.dir} history ${JSON.stringify(scope)}`
  // A history from an object id never changes; one from all refs changes with every push.
  const fixed = query.from !== null
  if (!fixed) noteUnknown(repo)
  const listWhole = async () => {
    const span = [`--max-count=${whole.limit}`, `--skip=${Math.min(whole.offset, maxSkipped)}`]
    return lines(await runCostly(repo, ['rev-list', ...span, ...order, ...scope]))
  }
  const list = async () => {
    const oids = await (fixed
      ? cached(repo.git.cache, `${key} ${order} ids ${whole.limit}+${whole.offset}`, listWhole, (ids) => 100 * ids.length)
      : listWhole())
    return readCommits(repo, oids.slice(offset - whole.offset, offset - whole.offset + limit))
  }
  // Bitmaps contain neither paths nor dates; with these git has to walk the history to count.
  const counting = query.from !== null && filters.length + path.length === 0 ? ['--count', '--use-bitmap-index'] : ['--count']
  const count = async () => Number(lines(await runCostly(repo, ['rev-list', ...counting, ...scope]))[0] ?? 0)

  const [rows, total] = await Promise.all([
    fixed ? cached(repo.git.cache, `${key} ${order} ${limit}+${offset}`, list, bytesOfCommits) : list(),
    fixed ? cached(repo.git.cache, `${key} count`, count, () => 8) : count(),
  ])
  return { rows, total }
}

/** Options for both dates. Git reads them as 32 bits, so a date outside that range excludes nothing, or everything (then null). */
function ageFilters({ since = 0, until = latest_s }: HistoryQuery): string[] | null {
  if (until < 0 || since > latest_s) return null
  return [...(since > 0 ? [`--max-age=${since}`] : []), ...(until < latest_s ? [`--min-age=${until}`] : [])]
}

/** The commit at or before `from` that last changed `path`; null if none did. */
export async function lastCommitOf(repo: Repo, from: string, path: string): Promise<string | null> {
  return cached(
    repo.git.cache,
    `${repo.dir} last ${from} ${path}`,
    async () => lines(await runCostly(repo, command`rev-list --max-count=1 ${from} -- ${path}`))[0] ?? null,
    () => 80,
  )
}

export interface CommitStats {
  additions: number
  deletions: number
  total: number
}

/**
 * Lines added and deleted against the first parent, for each commit. One process for all that aren't cached. Throws as
 * `requireListableChange` does.
 */
export async function readStats(repo: Repo, commits: Commit[]): Promise<Map<string, CommitStats>> {
  const keyOf = (oid: string) => `${repo.dir} stats ${oid}`
  const stats = new Map<string, CommitStats>()
  const unknown: Commit[] = []
  for (const commit of commits) {
    const known = repo.git.cache.get<CommitStats>(keyOf(commit.oid))
    if (known) stats.set(commit.oid, known)
    else unknown.push(commit)
  }
  if (unknown.length > 0) {
    for (const { oid, parents } of unknown) await requireListableChange(repo, parents[0] ?? null, oid)
    const input = unknown.map(({ oid, parents }) => `${oid} ${parents[0] ?? ''}`.trim()).join('\n')
    const output = await runCostly(repo, command`diff-tree --stdin --root -r --numstat --no-renames`, { input: `${input}\n` })
    for (const [oid, found] of parseNumstat(output.toString('utf8'))) stats.set(oid, repo.git.cache.set(keyOf(oid), found, 48))
    for (const { oid } of unknown) if (!stats.has(oid)) stats.set(oid, { additions: 0, deletions: 0, total: 0 })
  }
  return stats
}

/** Parses `diff-tree --stdin --numstat`: a line with the commit's id, then `added\tdeleted\tpath` for each file (`-` for binary ones). */
export function parseNumstat(output: string): Map<string, CommitStats> {
  const stats = new Map<string, CommitStats>()
  let current: CommitStats | undefined
  for (const line of output.split('\n')) {
    const file = /^(\d+|-)\t(\d+|-)\t/.exec(line)
    if (file && current) {
      current.additions += Number(file[1]) || 0
      current.deletions += Number(file[2]) || 0
      current.total = current.additions + current.deletions
    } else if (/^[0-9a-f]{40,64}$/.test(line)) {
      current = { additions: 0, deletions: 0, total: 0 }
      stats.set(line, current)
    }
  }
  return stats
}

/** Number of commits that `from` reaches and `without` doesn't, counted up to `max`. */
export async function countCommits(
  repo: Repo,
  from: string,
  without: string | null,
  max: number,
  { first_parent = false }: { first_parent?: boolean } = {},
): Promise<number> {
  const excluded = without === null ? [] : [`^${without}`]
  const counted = first_parent
    ? command`rev-list --count --first-parent --max-count=${max} ${from} ${excluded} --`
    : command`rev-list --count --max-count=${max} ${from} ${excluded} --`
  return Number(lines(await runCostly(repo, counted))[0] ?? 0)
}
