/**
 * Counts contributors incrementally: commits that were added to the history are added, commits that left it are subtracted. A full count
 * reads the whole history, so a request never does it; a request can't show the numbers of an earlier tip either, as they would be silently
 * wrong. The cost of a push is proportional to the commits it adds or removes. The first count is made in parts of a few seconds, each of
 * which is correct for the heads it names.
 */

import { type Repo, runCostly } from '../repository/repository.ts'
import { type LoggedCommit, type Walk, walkCommits } from './commit-log.ts'

/** All commits of one author's e-mail address. */
export interface Contributor {
  /** The name in the newest commit that has one. */
  name: string
  email: string
  commits: number
  additions: number
  deletions: number
  /** Sums by month of the commit (`2014-03`, in UTC). */
  months: Record<string, Month>
  /** The commit that `name` comes from; null if that commit left the history and no other has been looked up yet. */
  newest: { oid: string; committed_at: number } | null
}

export type Month = [commits: number, additions: number, deletions: number]

/** The contributors to a set of commits that is closed under ancestry. */
export interface Tally {
  /** All counted commits can be reached from these; empty if nothing is counted. */
  heads: string[]
  /** Keyed by email address as written in the commits. */
  contributors: Map<string, Contributor>
}

export function emptyTally(): Tally {
  return { heads: [], contributors: new Map() }
}

/** Whether the tally covers exactly the history of `tip`. */
export function isComplete({ heads, contributors }: Tally, tip: string): boolean {
  return heads.length === 1 && heads[0] === tip && nameless(contributors).length === 0
}

export interface Limits {
  /** Time limit of each of the two counting walks. */
  max_ms: number
  /** Time limit for looking up missing names, which can't be done in parts. */
  naming_ms?: number
  /** For background work, which runs at low priority. */
  in_background?: boolean
}

/**
 * Moves the tally to `tip`: adds the commits that its history gained, then subtracts those that it lost. If it stops at a limit, the tally
 * is correct for the heads it names, and the next call continues from there. After an error the tally must be discarded.
 * @returns whether the tally is complete
 */
export async function advance(repo: Repo, tally: Tally, tip: string, limits: Limits): Promise<boolean> {
  const { max_ms, naming_ms = Number.POSITIVE_INFINITY, in_background = false } = limits
  const { contributors } = tally
  const heads = new Set(tally.heads)
  const whole = { with_lines: true, max_ms, in_background }
  const gained = await walk(repo, { ...whole, from: [tip], without: tally.heads, order: 'parents first' }, (commit) => {
    for (const parent of commit.parents) heads.delete(parent)
    heads.add(commit.oid)
    if (isCounted(commit)) addCommit(contributors, commit)
  })
  const lost =
    gained &&
    (await walk(repo, { ...whole, from: [...heads], without: [tip], order: 'children first' }, (commit) => {
      heads.delete(commit.oid)
      for (const parent of commit.parents) heads.add(parent)
      if (isCounted(commit)) removeCommit(contributors, commit)
    }))
  tally.heads = lost ? [tip] : [...heads]
  return lost && findNames(repo, contributors, tip, naming_ms)
}

async function walk(repo: Repo, { from, without, ...rest }: Walk, visit: (commit: LoggedCommit) => void): Promise<boolean> {
  const known = new Set(without)
  const unknown = [...from].filter((oid) => !known.has(oid))
  return unknown.length === 0 || walkCommits(repo, { ...rest, from: unknown, without: known }, visit)
}

/** Number of commits by which the tally differs from the history of `tip`: missing and surplus ones, each counted up to `most`. */
export async function distance(repo: Repo, { heads }: Tally, tip: string, max: number): Promise<number> {
  const count = async (from: string[], without: string[]) => {
    const input = `${[...from, ...without.map((oid) => `^${oid}`)].join('\n')}\n`
    return from.length === 0 ? 0 : Number(await runCostly(repo, ['rev-list', '--count', `--max-count=${max}`, '--stdin'], { input }))
  }
  const [gained, lost] = await Promise.all([count([tip], heads), count(heads, [tip])])
  return gained + lost
}

/** Merges are skipped: the changes they bring were counted with the merged commits. */
function isCounted({ parents }: LoggedCommit): boolean {
  return parents.length < 2
}

function addCommit(contributors: Map<string, Contributor>, commit: LoggedCommit): void {
  const { oid, committed_at, name, email } = commit
  let contributor = contributors.get(email)
  if (!contributor) {
    contributor = { name, email, commits: 0, additions: 0, deletions: 0, months: {}, newest: { oid, committed_at } }
    contributors.set(email, contributor)
  }
  count(contributor, commit, 1)
  if (contributor.newest) nameBy(contributor, commit)
}

function removeCommit(contributors: Map<string, Contributor>, commit: LoggedCommit): void {
  const contributor = contributors.get(commit.email)
  if (!contributor) return
  count(contributor, commit, -1)
  if (contributor.commits === 0) contributors.delete(commit.email)
  else if (contributor.newest?.oid === commit.oid) contributor.newest = null
}

function count(contributor: Contributor, { committed_at, additions, deletions }: LoggedCommit, sign: 1 | -1): void {
  contributor.commits += sign
  contributor.additions += sign * additions
  contributor.deletions += sign * deletions
  const key = monthOf(committed_at)
  const [commits, added, deleted] = contributor.months[key] ?? [0, 0, 0]
  if (commits + sign === 0) delete contributor.months[key]
  else contributor.months[key] = [commits + sign, added + sign * additions, deleted + sign * deletions]
}

/** Dates outside the calendar count as the first one. */
function monthOf(seconds: number): string {
  const date = new Date(seconds * 1000)
  const year = Number.isNaN(date.getTime()) ? 0 : date.getUTCFullYear()
  return year < 1970 || year > 9999 ? '1970-01' : date.toISOString().slice(0, 7)
}

function nameBy(contributor: Contributor, commit: LoggedCommit): void {
  const { oid, committed_at, name } = commit
  if (givesName(commit, contributor)) Object.assign(contributor, { name, newest: { oid, committed_at } })
}

/** Order of the commits that may give the name: those with a name first, then the newer, then by id. */
function givesName({ oid, committed_at, name }: LoggedCommit, contributor: Contributor): boolean {
  const { newest } = contributor
  if (newest === null) return true
  if ((name === '') !== (contributor.name === '')) return name !== ''
  return committed_at === newest.committed_at ? oid > newest.oid : committed_at > newest.committed_at
}

/** Finds the newest commits of contributors without a name, by one walk that counts no lines. Returns whether all were found. */
async function findNames(repo: Repo, contributors: Map<string, Contributor>, tip: string, max_ms: number): Promise<boolean> {
  const wanted = new Map(nameless(contributors).map((contributor) => [contributor.email, contributor]))
  if (wanted.size === 0) return true
  for (const contributor of wanted.values()) contributor.name = ''
  const everything = { from: [tip], without: [], order: 'children first', with_lines: false, max_ms } as const
  const found = await walkCommits(repo, everything, (commit) => {
    const contributor = isCounted(commit) ? wanted.get(commit.email) : undefined
    if (contributor) nameBy(contributor, commit)
  })
  if (!found) for (const contributor of wanted.values()) contributor.newest = null
  return found
}

function nameless(contributors: Map<string, Contributor>): Contributor[] {
  return [...contributors.values()].filter(({ newest }) => newest === null)
}
