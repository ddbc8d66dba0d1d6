/** The last commit of each entry of a folder: one walk through the history for all of them. */
import { randomUUID } from 'node:crypto'
import { recordSplitter } from '../process/nul-splitter.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, startIn } from '../repository/repository.ts'

export interface LastCommits {
  /** Commit ids, keyed by the name of the entry. */
  commits: ReadonlyMap<string, string>
  /** False if the deadline ended the walk; the missing entries were changed longer ago. */
  is_complete: boolean
}

/**
 * The last commits of the named entries of the folder at `path` (empty for the root). One process, cached; it ends when all entries are
 * found, or at the deadline. For a merge, the commit that made the change counts, as in `git log`.
 */
export function lastCommitsOf(
  repo: Repo,
  { commit, path, names }: { commit: string; path: string; names: readonly string[] },
  deadline_ms: number,
): Promise<LastCommits> {
  const [first = '', last = ''] = [names[0], names.at(-1)]
  return cached(
    repo.git.cache,
    `${repo.dir} lasts ${commit} ${JSON.stringify([path, names.length, first, last])}`,
    () => repo.git.costly.run(repo, () => walk(repo, { commit, path, names }, deadline_ms)),
    ({ commits }) => [...commits.keys()].reduce((sum, name) => sum + 150 + 2 * name.length, 200),
  )
}

async function walk(
  repo: Repo,
  { commit, path, names }: { commit: string; path: string; names: readonly string[] },
  deadline_ms: number,
): Promise<LastCommits> {
  const missing = new Set(names)
  const commits = new Map<string, string>()
  if (missing.size === 0) return { commits, is_complete: true }
  const prefix = path === '' ? '' : `${path}/`
  // Paths are literal (`GIT_LITERAL_PATHSPECS`); the trailing slash restricts this one to folders.
  const scope = path === '' ? [] : [prefix]
  // Records are names of changed files, and ids of commits that begin with this random mark, which no file name can be expected to begin
  // with.
  const mark = randomUUID()
  const args = ['log', '--no-renames', '--name-only', '-z', `--format=${mark}%H`, commit, '--', ...scope]
  const child = startIn(repo, args, { deadline_ms: deadline_ms + 1_000 })
  let current = ''
  let isEnded = false
  const end = () => {
    isEnded = true
    child.kill()
  }
  const timer = setTimeout(end, deadline_ms)
  const split = recordSplitter((record) => {
    if (isEnded) return
    const text = record.toString('utf8')
    // Git prints a newline between a commit id and the first name after it.
    const file = text.startsWith('\n') ? text.slice(1) : text
    if (file.startsWith(mark)) {
      current = file.slice(mark.length)
      return
    }
    if (!file.startsWith(prefix)) return
    const slash = file.indexOf('/', prefix.length)
    const name = file.slice(prefix.length, slash < 0 ? undefined : slash)
    if (!missing.delete(name)) return
    commits.set(name, current)
    if (missing.size === 0) end()
  })
  child.stdin.end()
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      split(chunk)
      if (isEnded) break
    }
    // The exit of a process that was killed on purpose says nothing.
    await child.finished.catch(() => null)
  } finally {
    clearTimeout(timer)
  }
  return { commits, is_complete: missing.size === 0 }
}
