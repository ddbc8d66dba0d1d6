/** Decides after each attempt of a delivery whether it is retried, and how long the hook is paused. Pure functions. */
import type { Hook, HookDelivery } from '../../../db/tables.ts'

export type Answer = { status: number } | { error: string }

export interface Consequence {
  state: HookDelivery['state']
  failures: number
  /** Null if the next one is sent at once. */
  rests_for_ms: number | null
  last_error: string | null
}

/** Pauses after consecutive failures; the last one is repeated. */
const rests_s = [10, 60, 300, 900, 3_600, 3 * 3_600, 6 * 3_600, 8 * 3_600]

/** A receiver that answers, but rejects a payload, gets it this often. */
const maxRefusals = 3
/** A receiver that is down gets everything that happened within this time when it is back. */
const patience_ms = 7 * 24 * 3_600_000

/**
 * @param failures consecutive failures of the hook so far
 * @param attempts of this delivery, including this one
 */
export function consequenceOf(
  answer: Answer,
  { failures }: Pick<Hook, 'failures'>,
  { attempts, age_ms }: { attempts: number; age_ms: number },
): Consequence {
  if ('status' in answer && answer.status >= 200 && answer.status < 300) {
    return { state: 'delivered', failures: 0, rests_for_ms: null, last_error: null }
  }
  const isHopeless = isRefusal(answer) ? attempts >= maxRefusals : age_ms > patience_ms
  const rest_s = rests_s[Math.min(failures, rests_s.length - 1)] ?? 10
  return {
    state: isHopeless ? 'failed' : 'waiting',
    failures: failures + 1,
    rests_for_ms: rest_s * 1_000,
    last_error: 'error' in answer ? answer.error : `The host answered with ${answer.status}`,
  }
}

/** The receiver answered, but rejects this payload. Redirects don't count, since they aren't followed. */
function isRefusal(answer: Answer): boolean {
  return 'status' in answer && answer.status >= 300 && answer.status < 500 && answer.status !== 408 && answer.status !== 429
}
