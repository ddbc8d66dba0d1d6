/** The last commit of each entry of a folder: one walk through the history for all of them. */
import { randomUUID } from 'node:crypto'
import { recordSplitter } from '../process/nul-splitter.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, startIn } from '../repository/repository.ts'

export interface LastCommits {
  /** The id of the commit that last changed it, by the name of the entry. */
  commits: ReadonlyMap<string, string>
  /** False where the deadline ended the walk: those that are missing were changed longer ago. */
  is_complete: boolean
}

/**
 * The last commits of the named entries of the folder at `path` (empty for the root). One process, cached; it is ended as soon as all are
 * found, and at the deadline. For merges, the commit that brought the change counts, as in `git log`.
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
  // Literal, as all paths that git is given (`GIT_LITERAL_PATHSPECS`); with its slash it is a folder and no file.
  const scope = path === '' ? [] : [prefix]
  // Each record is the name of a changed file, but for the ids of commits, which begin with what no name can be known to begin with.
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
    // A line break stands between an id and the first name after it.
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
    // Killed on purpose, its exit says nothing.
    await child.finished.catch(() => null)
  } finally {
    clearTimeout(timer)
  }
  return { commits, is_complete: missing.size === 0 }
}
