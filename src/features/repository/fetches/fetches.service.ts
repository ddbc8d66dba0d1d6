/**
 * Counts fetches without a write for any of them: each process adds up its own in memory, and writes them together. A killed process loses
 * those of its last seconds, one that stops in order none.
 */
import type { App } from '../../../app.ts'
import { reportFailure } from '../../../background.ts'
import { inTransaction } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { Day } from '../../../db/tables.ts'
import { addFetches, existingProjects, type FetchCount, fetchesSince, removeFetchesBefore } from './fetches.queries.ts'

/** Keyed by day and project. */
type Pending = Map<string, FetchCount>

/** Counts that aren't written yet, one set for each process. Keyed by its limits, which all views of its `App` share. */
const pending = new WeakMap<App['limits'], Pending>()

const interval_ms = 10_000
const shown_days = 30
/** Rows of one statement. */
const batch = 500

/** Counts one clone or fetch. */
export function countFetch({ limits }: Pick<App, 'limits'>, project_id: number): void {
  add(pendingOf(limits), { project_id, day: today(), count: 1 })
}

function pendingOf(limits: App['limits']): Pending {
  const known = pending.get(limits)
  if (known) return known
  const counts: Pending = new Map()
  pending.set(limits, counts)
  return counts
}

function add(counts: Pending, { project_id, day, count }: FetchCount): void {
  const key = `${day} ${project_id}`
  const known = counts.get(key)
  if (known) known.count += count
  else counts.set(key, { project_id, day, count })
}

/** Writes what this process has counted. What can't be written is kept for the next time. */
export async function writeFetches(app: App): Promise<void> {
  const counts = pending.get(app.limits)
  if (!counts || counts.size === 0) return
  pending.set(app.limits, new Map())
  const all = [...counts.values()].sort((one, other) => one.project_id - other.project_id || (one.day < other.day ? -1 : 1))
  try {
    await inTransaction(app.db, async (tx) => {
      for (let start = 0; start < all.length; start += batch) {
        const part = all.slice(start, start + batch)
        const existing = await existingProjects(
          tx,
          part.map(({ project_id }) => project_id),
        )
        if (existing.size === 0) continue
        await addFetches(
          tx,
          part.filter(({ project_id }) => existing.has(project_id)),
        )
        await removeFetchesBefore(tx, [...existing], firstDay())
      }
    })
  } catch (error) {
    const later = pendingOf(app.limits)
    for (const one of all) add(later, one)
    throw error
  }
}

/** Writes regularly from now on. Returns a function that stops this, and writes the rest. */
export function watchFetches(app: App): () => Promise<void> {
  let writing = Promise.resolve()
  const write = () => {
    writing = writing
      .then(() => writeFetches(app))
      .catch((error: unknown) => reportFailure(app, error, 'could not write the counts of fetches'))
    return writing
  }
  const timer = setInterval(write, interval_ms)
  timer.unref()
  return () => {
    clearInterval(timer)
    return write()
  }
}

/** The fetches of the last thirty days, today included: the days that had some, the newest first. */
export async function fetchesOf(app: App, project_id: number): Promise<{ total: number; days: Pick<FetchCount, 'day' | 'count'>[] }> {
  const days = await fetchesSince(app.db, project_id, firstDay())
  return { total: days.reduce((sum, { count }) => sum + count, 0), days }
}

/** The oldest day that is shown and kept. */
function firstDay(): Day {
  return lastDays()[0] as Day
}

/** The days that are counted, the oldest first. */
export function lastDays(): Day[] {
  const now_ms = Date.parse(today())
  return Array.from({ length: shown_days }, (_, index) =>
    new Date(now_ms - (shown_days - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  )
}
