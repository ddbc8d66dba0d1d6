/** Contributors and languages for a request: cached for the tip, or counted while the client waits; 503 while a job counts. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { type Contributor, distance, isComplete } from '../../../git/history/contributors.ts'
import { requireListableTree } from '../../../git/objects/unfolding.ts'
import { clientGone } from '../../../git/process/run.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { enqueue } from '../../../queue/queue.ts'
import {
  advanceFrom,
  assertCountable,
  contributorsKey,
  countContributors,
  countLanguages,
  type Languages,
  readTally,
  tipOf,
} from './stats.counting.ts'
import { countStatsJob } from './stats.jobs.ts'

/** Maximum number of commits that are counted while the client waits. */
const max_commits = 500
/** How long a client waits. */
const maxWait_ms = 3_000
const pollInterval_ms = 200
/** Time limit for counting the difference between the default branch and another commit, in each direction. */
const maxBeside_ms = 5_000

/** The contributors of the default branch, unordered. Throws `timed_out` if the queue needs longer than the client waits. */
export async function contributorsOf(
  app: App,
  project: LocatedProject,
  wait_ms = maxWait_ms,
  repo = app.git.open(project.id),
): Promise<Contributor[]> {
  const tip = await tipOf(repo, project.default_branch)
  if (tip === null) return []
  return cached(repo.git.cache, contributorsKey(repo, tip), () => findContributors(app, repo, project.id, tip, wait_ms), bytesOf)
}

function bytesOf(contributors: Contributor[]): number {
  return contributors.reduce(
    (sum, { name, email, months }) => sum + 400 + 2 * (name.length + email.length) + 100 * Object.keys(months).length,
    0,
  )
}

/**
 * The contributors of any commit, counted from those of the default branch, which is usually close. Throws `timed_out` as `contributorsOf`
 * does, and `unprocessable` if it is too far from the default branch.
 */
export async function contributorsAt(
  app: App,
  project: LocatedProject,
  commit: string,
  repo: Repo,
  wait_ms = maxWait_ms,
): Promise<Contributor[]> {
  const tip = await tipOf(repo, project.default_branch)
  if (tip === null || tip === commit) return contributorsOf(app, project, wait_ms, repo)
  const count = async () => {
    const { tally: stored } = await readTally(app, project.id)
    const isWhole = isComplete(stored, tip)
    // Finding missing names would take a walk through the whole history, so those of the default branch are used.
    const names = new Map([...stored.contributors].map(([email, { name }]) => [email, name]))
    await requireListableTree(repo, commit)
    const { tally } = await advanceFrom(repo, stored, commit, { max_ms: maxBeside_ms, naming_ms: 0 })
    const [head, ...others] = tally.heads
    if (head === commit && others.length === 0) {
      return [...tally.contributors.values()].map((one) => (one.name === '' ? { ...one, name: names.get(one.email) ?? '' } : one))
    }
    if (isWhole) throw new Failure('unprocessable', '422 This is too far from the default branch to be counted')
    await enqueue(app.db, countStatsJob, { project_id: project.id })
    throw stillCounting()
  }
  return cached(repo.git.cache, `${contributorsKey(repo, commit)} beside`, count, bytesOf)
}

/** How many commits of the default branch have been counted; merges are not. */
export async function countedSoFar(app: App, project: LocatedProject): Promise<number> {
  const { tally } = await readTally(app, project.id)
  return [...tally.contributors.values()].reduce((sum, { commits }) => sum + commits, 0)
}

async function findContributors(app: App, repo: Repo, project_id: number, tip: string, wait_ms: number): Promise<Contributor[]> {
  const stored = await readTally(app, project_id)
  if (isComplete(stored.tally, tip)) return [...stored.tally.contributors.values()]
  // If the distance is unknown, because commits are gone, the queue counts.
  const behind = await distance(repo, stored.tally, tip, max_commits + 1).catch(unlessRefused)
  const limits = { max_ms: wait_ms, naming_ms: wait_ms }
  const counted = behind <= max_commits ? await countContributors(app, project_id, stored, tip, limits, repo) : null
  if (counted) return counted
  await enqueue(app.db, countStatsJob, { project_id })
  for (const until = Date.now() + wait_ms; Date.now() < until; ) {
    await sleep(pollInterval_ms)
    if (repo.signal?.aborted) throw clientGone()
    const { tally } = await readTally(app, project_id)
    if (isComplete(tally, tip)) return [...tally.contributors.values()]
    assertCountable(repo, tip)
  }
  throw stillCounting()
}

/** The languages at the tip of the default branch. Throws as `contributorsOf`. */
export async function languagesOf(
  app: App,
  project: LocatedProject,
  wait_ms = maxWait_ms,
  repo = app.git.open(project.id),
): Promise<Languages> {
  const tip = await tipOf(repo, project.default_branch)
  if (tip === null) return {}
  const count = async () => {
    try {
      return await countLanguages(app, project.id, tip, wait_ms, repo)
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'timed_out')) throw error
      await enqueue(app.db, countStatsJob, { project_id: project.id })
      throw stillCounting()
    }
  }
  return cached(repo.git.cache, `${repo.dir} languages ${tip}`, count, (languages) => 100 * Object.keys(languages).length)
}

/** An error of git is left to the queue; an overloaded server is reported. */
function unlessRefused(error: unknown): number {
  if (error instanceof Failure && /^(client_gone|busy|too_many_at_once)$/.test(error.code)) throw error
  return Number.POSITIVE_INFINITY
}

function stillCounting(): Failure {
  return new Failure('timed_out', '503 This is still being counted; try again in a few seconds')
}
