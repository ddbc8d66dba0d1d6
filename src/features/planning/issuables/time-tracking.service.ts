/** The estimates of issues and merge requests, and the time spent on them. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, IssuableName, NoteableKey } from '../../../db/tables.ts'
import type { TimeSpent } from '../../../domain-events/issue-events.ts'
import { invalid } from '../../../failure.ts'
import type { Actor } from './actor.ts'
import { parseDuration } from './durations.ts'
import { insertTimeLog } from './issuables.queries.ts'

const maxTotal_s = 2_147_483_647

/**
 * Logs time on what `on` names. Returns the new total in seconds. Throws 400 if more is subtracted than was spent.
 * @param before the previous total in seconds
 */
export async function logTime(
  tx: Tx,
  user_id: number,
  on: NoteableKey<IssuableName>,
  before: number,
  time: TimeSpent,
  at: Instant,
): Promise<number> {
  const time_spent = time.seconds ?? -before
  const after = before + time_spent
  if (after < 0) throw invalid({ time_spent: ['Time to subtract exceeds the total time spent'] })
  if (after > maxTotal_s) throw invalid({ time_spent: ['Total time spent is too long'] })
  if (time_spent !== 0)
    await insertTimeLog(tx, { [`${on.kind}_id` as const]: on.id, user_id, time_spent, spent_at: time.spent_at, created_at: at })
  return after
}

/** Changes the times of an issue or a merge request, with everything that follows from it. */
export type ChangeTimes<R> = (tx: Tx, actor: Actor, id: number, change: { time_estimate?: number; time?: TimeSpent }) => Promise<R>

/** Null resets it. Throws 400 for an invalid or negative duration. */
export function setEstimate<R>(app: App, actor: Actor, changeIn: ChangeTimes<R>, id: number, duration: string | null): Promise<R> {
  const time_estimate = duration === null ? 0 : parseDuration(duration)
  if (time_estimate === null || time_estimate < 0) throw invalid({ time_estimate: ['has an invalid format'] })
  return inTransaction(app.db, (tx) => changeIn(tx, actor, id, { time_estimate }))
}

/** Null resets it. Throws 400 for an invalid duration, and if more is subtracted than was spent. */
export function addSpentTime<R>(app: App, actor: Actor, changeIn: ChangeTimes<R>, id: number, duration: string | null): Promise<R> {
  const seconds = duration === null ? null : parseDuration(duration)
  if (duration !== null && seconds === null) throw invalid({ time_spent: ['has an invalid format'] })
  return inTransaction(app.db, (tx) => changeIn(tx, actor, id, { time: { seconds, spent_at: null } }))
}
