/** The estimates of issues and merge requests, and the time spent on them. */
import type { Tx } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'
import type { TimeSpent } from '../../../domain-events/issue-events.ts'
import { invalid } from '../../../failure.ts'
import { parseDuration } from './durations.ts'
import { insertTimeLog } from './issuables.queries.ts'

const maxTotal_s = 2_147_483_647

/**
 * Logs time on what `on` names. Returns the total afterwards, in seconds. Throws 400 where more is taken back than was spent.
 * @param before the total until now, in seconds
 */
export async function logTime(
  tx: Tx,
  user_id: number,
  on: { issue_id: number } | { merge_request_id: number },
  before: number,
  time: TimeSpent,
  at: Instant,
): Promise<number> {
  const time_spent = time.seconds ?? -before
  const after = before + time_spent
  if (after < 0) throw invalid({ time_spent: ['Time to subtract exceeds the total time spent'] })
  if (after > maxTotal_s) throw invalid({ time_spent: ['Total time spent is too long'] })
  if (time_spent !== 0) await insertTimeLog(tx, { ...on, user_id, time_spent, spent_at: time.spent_at, created_at: at })
  return after
}

/** The change that sets an estimate; null to reset. Throws 400 for what is no duration, and a negative one. */
export function estimateOf(duration: string | null): { time_estimate: number } {
  const seconds = duration === null ? 0 : parseDuration(duration)
  if (seconds === null || seconds < 0) throw invalid({ time_estimate: ['has an invalid format'] })
  return { time_estimate: seconds }
}

/** The change that adds spent time; null to reset. Throws 400 for what is no duration. */
export function spentTimeOf(duration: string | null): { time: TimeSpent } {
  const seconds = duration === null ? null : parseDuration(duration)
  if (duration !== null && seconds === null) throw invalid({ time_spent: ['has an invalid format'] })
  return { time: { seconds, spent_at: null } }
}
