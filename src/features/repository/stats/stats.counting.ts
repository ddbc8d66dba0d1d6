/** Counts contributors and languages for the tip of a default branch, and stores the result. */
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { advance, type Contributor, emptyTally, isComplete, type Limits, type Tally } from '../../../git/history/contributors.ts'
import { visitFiles } from '../../../git/objects/tree-sizes.ts'
import { requireListableTree } from '../../../git/objects/unfolding.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { languageOf } from './languages.ts'
import { findStat, replaceStat, type StoredStat } from './stats.queries.ts'

/** Percentages by language, the largest first. */
export type Languages = Record<string, number>

/** The commit of the default branch; null if there is none. */
export async function tipOf(repo: Repo, default_branch: string | null): Promise<string | null> {
  return default_branch === null ? null : resolveCommit(repo, `refs/heads/${default_branch}`)
}

export interface StoredTally {
  row: StoredStat | null
  tally: Tally
}

/** Reads the stored counts. `tip` of the row contains the heads: a single one if the count is complete. */
export async function readTally(app: App, project_id: number): Promise<StoredTally> {
  const row = await findStat(app.db, project_id, 'contributors')
  if (!row) return { row, tally: emptyTally() }
  const list = JSON.parse(row.facts) as Contributor[]
  // Counted by a version that didn't count months.
  if (list.some(({ months }) => months === undefined)) return { row, tally: emptyTally() }
  return { row, tally: { heads: row.tip.split(' '), contributors: new Map(list.map((contributor) => [contributor.email, contributor])) } }
}

/**
 * Continues counting from the stored state, up to the limits, and stores the progress. Null if the count is incomplete. Throws
 * `unprocessable` if that takes more memory than a git command may use.
 */
export async function countContributors(
  app: App,
  project_id: number,
  { row, tally: stored }: StoredTally,
  tip: string,
  limits: Limits,
  repo = app.git.open(project_id),
): Promise<Contributor[] | null> {
  if (isComplete(stored, tip)) return [...stored.contributors.values()]
  // A commit with more files than can be listed would use all the memory that git may have, each time, so it isn't even tried.
  await requireListableTree(repo, tip)
  const { tally, reached } = await advanceFrom(repo, stored, tip, limits)
  const contributors = [...tally.contributors.values()]
  const after = { tip: tally.heads.join(' '), facts: JSON.stringify(contributors) }
  await replaceStat(app.db, project_id, 'contributors', row, after)
  return reached ? contributors : null
}

/** Continues counting in memory, or starts again if the counted commits are gone. `reached` is false if a limit ended it. */
export async function advanceFrom(repo: Repo, stored: Tally, tip: string, limits: Limits): Promise<{ tally: Tally; reached: boolean }> {
  try {
    return { tally: stored, reached: await advance(repo, stored, tip, limits) }
  } catch (error) {
    // After a force push the counted commits may be gone from the repository; everything is then counted again.
    if (!(error instanceof Failure && error.code === 'git_failed') || stored.heads.length === 0) throw error
    const tally = emptyTally()
    return { tally, reached: await advance(repo, tally, tip, limits) }
  }
}

/**
 * The languages of `tip`, from the row, or from its files and then stored. Throws `timed_out` after `deadline_ms`, `unprocessable` if there
 * are too many files.
 */
export async function countLanguages(
  app: App,
  project_id: number,
  tip: string,
  deadline_ms: number,
  repo = app.git.open(project_id),
): Promise<Languages> {
  const row = await findStat(app.db, project_id, 'languages')
  if (row?.tip === tip) return JSON.parse(row.facts) as Languages
  const bytes = new Map<string, number>()
  await visitFiles(repo, tip, deadline_ms, ({ path, size }) => {
    const language = size > 0 ? languageOf(path) : null
    if (language !== null) bytes.set(language, (bytes.get(language) ?? 0) + size)
  })
  const languages = shares(bytes)
  await replaceStat(app.db, project_id, 'languages', row, { tip, facts: JSON.stringify(languages) })
  return languages
}

function shares(bytes: Map<string, number>): Languages {
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0)
  const sorted = [...bytes].sort(([a, of_a], [b, of_b]) => of_b - of_a || (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([language, size]) => [language, Math.round((size / total) * 10_000) / 100]))
}

export function contributorsKey(repo: Repo, tip: string): string {
  return `${repo.dir} contributors ${tip}`
}

/** Remembers that the contributors of `tip` can't be counted: each further attempt would take as long. */
export function noteUncountable(repo: Repo, tip: string, failure: Failure): void {
  repo.git.cache.set(contributorsKey(repo, tip), failure, 1_000)
}

/** Throws `unprocessable` if it is known that they can't be counted. */
export function assertCountable(repo: Repo, tip: string): void {
  const known = repo.git.cache.get(contributorsKey(repo, tip))
  if (known instanceof Failure) throw known
}
