/** A file of tests never sees the day change: `today` and `tomorrow` stay what they were when it computed them. */
import { setTimeout } from 'node:timers/promises'

const day_ms = 24 * 60 * 60_000
/** More than any file takes on a busy machine. */
const lastOfDay_ms = 120_000

/** Within the last two minutes of a day (UTC) it waits until the next has begun. */
export async function passMidnight(now_ms = Date.now()): Promise<void> {
  const left_ms = day_ms - (now_ms % day_ms)
  if (left_ms < lastOfDay_ms) await setTimeout(left_ms)
}
