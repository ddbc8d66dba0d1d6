/** Background work after pushes. */
import { setImmediate as turn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import type { Instant } from '../../../db/tables.ts'
import { countRanges } from '../../../git/history/range-counts.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { defaultBranchOf } from '../../spaces/projects/projects.ts'
import { type CountedEvent, pushedTipAt, uncountedEvents, updateEvents } from './pushes.queries.ts'
import { reconcileAll } from './reconcile.ts'

const eventsAtOnce = 500
/** Then other jobs run first. */
const maxEventsPerRun = 5_000
/** Commits read at once: a message may be large. */
const commitsAtOnce = 16
/** More new commits than this are counted as this many. */
const maxCounted = 10_000

/** Counts the commits of push events, and stores the title of the last commit. */
export const describePushesJob: Job<{ project_id: number }> = job('pushes.describe', {
  key: ({ project_id }) => `describe ${project_id}`,
  async handle(app, { project_id }, stopping) {
    const repo = endingWith(app.git.open(project_id), stopping)
    const describe = eventDescriber(app, repo, project_id)
    for (let done = 0; done < maxEventsPerRun; done += eventsAtOnce) {
      stopping?.throwIfAborted()
      const events = await uncountedEvents(app.db, project_id, eventsAtOnce)
      await updateEvents(app.db, await describe(events))
      if (events.length < eventsAtOnce) return
      await turn()
    }
    await enqueue(app.db, describePushesJob, { project_id })
  },
})

type PushEvent = Awaited<ReturnType<typeof uncountedEvents>>[number]

/** Describes many events by few statements and processes: what several of them share is looked up once. */
function eventDescriber(app: App, repo: Repo, project_id: number): (events: PushEvent[]) => Promise<CountedEvent[]> {
  const tipsAt = new Map<Instant, Promise<string | null>>()
  const default_branch = defaultBranchOf(app.db, project_id)

  /** Where the default branch was at that time, however much later this runs. All commits of a new default branch count. */
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

const reconcileEvery_ms = 60_000

/** Settles what pushes that never ended have left in the journal. */
export const reconcilePushesJob = job('pushes.reconcile', { every_ms: reconcileEvery_ms, at_start: true, handle: reconcileAll })
