/**
 * Describes a push for its event: the number of commits, and the title of the last one. Computed once, by the queue or by the first reader.
 */
import type { App } from '../../../app.ts'
import type { EventAction, Instant } from '../../../db/tables.ts'
import { countRanges } from '../../../git/history/range-counts.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { defaultBranchOf } from '../../spaces/projects/projects.ts'
import { type CountedEvent, pushedTipAt, type uncountedEvents, updateEvents } from './pushes.queries.ts'

/** Commits read at once: a message may be large. */
const commitsAtOnce = 16
/** Maximum that is counted. */
const maxCounted = 10_000
/** How long a reader waits for the counts of their page; the queue continues afterwards. */
const patience_ms = 5_000

export type PushEvent = Awaited<ReturnType<typeof uncountedEvents>>[number]

interface ReadEvent extends PushEvent {
  project_id: number
  action: EventAction
  commit_count: number | null
  commit_title: string | null
}

/** The events of a page, with the counts and titles of pushes that weren't described yet. Costs nothing if there are none. */
export async function describePushes<E extends ReadEvent>(app: App, events: E[]): Promise<E[]> {
  const uncounted = events.filter(({ action, commit_count }) => action === 'pushed' && commit_count === null)
  if (uncounted.length === 0) return events
  const signal = AbortSignal.timeout(patience_ms)
  const counted = new Map<number, CountedEvent>()
  for (const project_id of new Set(uncounted.map((event) => event.project_id))) {
    const describe = eventDescriber(app, endingWith(app.git.open(project_id), signal), project_id)
    try {
      const found = await describe(uncounted.filter((event) => event.project_id === project_id))
      for (const one of found) counted.set(one.id, one)
      await updateEvents(app.db, found)
    } catch (error) {
      // An unreadable repository or a full disk must not hide other events.
      app.log.warn({ err: error, project: project_id }, 'push events: not counted yet')
    }
  }
  return events.map((event) => ({ ...event, ...counted.get(event.id) }))
}

/** Describes many events with few statements and processes: what several of them share is looked up once. */
export function eventDescriber(app: App, repo: Repo, project_id: number): (events: PushEvent[]) => Promise<CountedEvent[]> {
  const tipsAt = new Map<Instant, Promise<string | null>>()
  const default_branch = defaultBranchOf(app.db, project_id)

  /** The commit of the default branch at that time, however much later this runs. For a new default branch, all commits count. */
  async function tipOfDefault({ ref, created_at }: PushEvent): Promise<string | null> {
    const branch = await default_branch
    if (branch === null || ref === `refs/heads/${branch}`) return null
    const tip = tipsAt.get(created_at) ?? pushedTipAt(app.db, project_id, `refs/heads/${branch}`, created_at)
    tipsAt.set(created_at, tip)
    return resolveCommit(repo, (await tip) ?? 'HEAD')
  }
  return async (events) => {
    const tips = await commitsOf(
      repo,
      events.map(({ after_oid }) => after_oid),
    )
    const titles = await titlesOf(repo, new Set(tips))
    const ranges: Array<{ tip: string; without: string | null; index: number }> = []
    for (const [index, event] of events.entries()) {
      const tip = tips[index]
      if (!tip || event.ref?.startsWith('refs/tags/')) continue
      const known = event.before_oid ? await resolveCommit(repo, event.before_oid) : await tipOfDefault(event)
      ranges.push({ tip, without: known === tip ? null : known, index })
    }
    const counts = await countRanges(repo, ranges, { max_count: maxCounted })
    const counted = new Map(ranges.map(({ index }, at) => [index, counts[at] ?? 0]))
    return events.map(({ id }, index) => ({
      id,
      commit_count: counted.get(index) ?? 0,
      commit_title: titles.get(tips[index] ?? '') ?? null,
    }))
  }
}

/** In the order of the ids; null for those without a commit. */
async function commitsOf(repo: Repo, oids: Array<string | null>): Promise<Array<string | null>> {
  const distinct = new Map(oids.filter((oid) => oid !== null).map((oid) => [oid, resolveCommit(repo, oid)]))
  return Promise.all(oids.map((oid) => (oid === null ? null : (distinct.get(oid) ?? null))))
}

async function titlesOf(repo: Repo, commits: Set<string | null>): Promise<Map<string, string>> {
  const oids = [...commits].filter((oid) => oid !== null)
  const titles = new Map<string, string>()
  for (let at = 0; at < oids.length; at += commitsAtOnce) {
    const some = await Promise.all(oids.slice(at, at + commitsAtOnce).map((oid) => readCommit(repo, oid)))
    for (const { oid, message } of some) titles.set(oid, titleOf(message))
  }
  return titles
}
