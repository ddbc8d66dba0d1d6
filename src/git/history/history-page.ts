/** Pages of a history whose cost doesn't depend on their number: each starts from the commits at which the page before ended. */
import type { Commit } from '../objects/parse.ts'
import { pathParts } from '../objects/paths.ts'
import { bytesOfCommits, readCommits } from '../objects/read.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

export interface HistoryPage {
  /** Newest first. */
  commits: Commit[]
  /** Ids of the commits at which the next page begins, in no particular order; empty at the end. */
  next: string[]
}

/**
 * Up to `limit` commits that `from` reaches and that changed `path` (any commit if it is empty). One process, cached. Git orders by commit
 * date, so a commit with a wrong date may appear on two pages.
 */
export async function historyPage(repo: Repo, from: readonly string[], path: string, limit: number): Promise<HistoryPage> {
  const parts = pathParts(path)
  if (!parts || from.length === 0) return { commits: [], next: [] }
  return cached(
    repo.git.cache,
    `${repo.dir} page ${limit} ${from.join(' ')} ${parts.join('/')}`,
    async () => {
      const scope = parts.length > 0 ? ['--', parts.join('/')] : ['--']
      // With a path, git prints the next commits that changed it, not the actual parents.
      const listed = lines(await runCostly(repo, ['rev-list', `--max-count=${limit}`, '--parents', ...from, ...scope])).map((line) =>
        line.split(' '),
      )
      const commits = await readCommits(
        repo,
        listed.map(([oid = '']) => oid),
      )
      return { commits, next: nextOf(from, listed, path) }
    },
    ({ commits, next }) => bytesOfCommits(commits) + 100 * next.length,
  )
}

/** Ids of commits that were seen as parents, but are not on the page. */
function nextOf(from: readonly string[], listed: string[][], path: string): string[] {
  const shown = new Set(listed.map(([oid]) => oid))
  // A starting commit that doesn't change the path has led to the listed commits, and would lead there again.
  const starts = path === '' || from.length > 1 ? from : []
  const known = new Set([...starts, ...listed.flatMap(([, ...parents]) => parents)])
  return [...known].filter((oid) => !shown.has(oid))
}

export interface HistorySearch {
  from: string
  path: string
  /** Part of the message, ignoring case. */
  search?: string | undefined
  /** Part of the author's name or email address. */
  author?: string | undefined
}

/** The matching commits, up to `offset + limit`. One process, cached; it walks the history from the start. */
export async function searchHistory(
  repo: Repo,
  { from, path, search, author }: HistorySearch,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ commits: Commit[]; more: boolean }> {
  const parts = pathParts(path)
  if (!parts) return { commits: [], more: false }
  // Fixed strings, since a pattern of git may take any amount of time.
  const filters = ['--fixed-strings', '--regexp-ignore-case']
  if (search) filters.push(`--grep=${search}`)
  if (author) filters.push(`--author=${author}`)
  const args = [
    'rev-list',
    `--max-count=${limit + 1}`,
    `--skip=${offset}`,
    ...filters,
    from,
    '--',
    ...(path === '' ? [] : [parts.join('/')]),
  ]
  return cached(
    repo.git.cache,
    `${repo.dir} search ${JSON.stringify(args)}`,
    async () => {
      const oids = lines(await runCostly(repo, args))
      return { commits: await readCommits(repo, oids.slice(0, limit)), more: oids.length > limit }
    },
    ({ commits }) => bytesOfCommits(commits),
  )
}

/** The newest commits that `to` reaches and `from` doesn't, newest first, and whether there are more. One process, cached. */
export function commitsAhead(repo: Repo, from: string, to: string, limit: number): Promise<{ commits: Commit[]; more: boolean }> {
  return cached(
    repo.git.cache,
    `${repo.dir} ahead ${limit} ${from} ${to}`,
    async () => {
      const oids = lines(await runCostly(repo, ['rev-list', `--max-count=${limit + 1}`, to, `^${from}`, '--']))
      return { commits: await readCommits(repo, oids.slice(0, limit)), more: oids.length > limit }
    },
    ({ commits }) => bytesOfCommits(commits),
  )
}
