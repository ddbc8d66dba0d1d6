/** Sends what waits for one hook, one delivery after another: the next only once the outcome of the one before is stored. */
import type { App } from '../../../app.ts'
import type { Tx } from '../../../db/database.ts'
import type { Hook } from '../../../db/tables.ts'
import { concurrencyLimiter, isRefusal, type Release } from '../../../limits/concurrency.ts'
import type { Target } from '../../../outgoing/ssrf-guard.ts'
import { thisProcess } from '../../../program/process-identity.ts'
import { answerOf, hostOf, targetOf } from './attempt.ts'
import { releaseHook, renewClaim } from './claims.queries.ts'
import { forgetDelivery, giveUp, nextDeliveries, recordAttempt, recordHealth, type WaitingDelivery } from './deliveries.queries.ts'
import { gatheredReads, gatheredWrites, oneByOne } from './gathering.ts'
import { consequenceOf } from './outcome.ts'

/** Maximum of hooks that are sent to concurrently. */
export const maxAtOnce = 64
/** Deliveries to one hook before others take their turn. */
const maxInARow = 100
/** A claim only expires if its process is gone: it is renewed while the hook is sent to. */
const claim_ms = 60_000
const renewal_ms = claim_ms / 3
/** How long to wait for payloads that this or another process is building. */
const soon_ms = 100
/** If the host or the project of a hook already has its maximum of senders, the hook waits this long, and others are claimed first. */
const busy_ms = 1_000
/** Outcomes within this time of each other are stored together. */
const gather_ms = 20

const perHost = concurrencyLimiter({ perKey: 4, total: maxAtOnce })
/** Limits per project, group or instance, so that many hosts that hang don't delay the hooks of others. */
const perPlace = concurrencyLimiter({ perKey: 8, total: maxAtOnce })

export const claimEnd = () => new Date(Date.now() + claim_ms)

/** Shared by all senders of a process. */
export interface Senders {
  app: App
  /** The oldest pending delivery of a hook; null if there is none, or if the hook was deleted or claimed by another process. */
  next: (hook_id: number) => Promise<WaitingDelivery | null>
  /** Resolves once the write is committed. */
  write: (work: (tx: Tx) => Promise<void>) => Promise<void>
  /** Resolves when requests that wait have had their turn. */
  turn: () => Promise<void>
}

/** @param count of senders that are active */
export function sendersOf(app: App, count: () => number): Senders {
  return {
    app,
    next: gatheredReads((hook_ids) => nextDeliveries(app.db, thisProcess, hook_ids)),
    // A lone sender has nobody to wait for.
    write: gatheredWrites(app.db, () => (count() > 1 ? gather_ms : 0)),
    turn: oneByOne(),
  }
}

/**
 * Returns when the hook may be claimed again; null for at once. Throws what went wrong here, rather than at the receiver; then the hook
 * waits a little, too.
 */
export async function sendTo(senders: Senders, hook: Hook, stopping: AbortSignal): Promise<Date | null> {
  const { app, write } = senders
  let again: Date | null = new Date(Date.now() + busy_ms)
  const renewal = setInterval(() => {
    const renewed = write((tx) => renewClaim(tx, hook.id, thisProcess, claimEnd()))
    renewed.catch((error: unknown) => app.log.error({ err: error, hook: hook.id }, 'webhooks: could not renew the claim of a hook'))
  }, renewal_ms)
  try {
    const target = targetOf(app, hook)
    const release = await takeTurn(await hostOf(app, hook, target), placeOf(hook))
    if (!release) return again
    try {
      again = await sendInARow(senders, hook, target, stopping)
    } finally {
      release()
    }
    return again
  } finally {
    clearInterval(renewal)
    await write((tx) => releaseHook(tx, hook.id, thisProcess, again))
  }
}

/** Null if its host or its project already has the maximum of concurrent deliveries. */
async function takeTurn(host: string, place: string): Promise<Release | null> {
  const ofHost = await perHost.acquire(host)
  if (isRefusal(ofHost)) return null
  const ofPlace = await perPlace.acquire(place)
  if (isRefusal(ofPlace)) {
    ofHost()
    return null
  }
  return () => {
    ofHost()
    ofPlace()
  }
}

function placeOf({ project_id, namespace_id }: Hook): string {
  if (project_id !== null) return `project ${project_id}`
  return namespace_id === null ? 'instance' : `group ${namespace_id}`
}

/** Returns when the hook may be claimed again, if not at once. */
async function sendInARow(
  senders: Senders,
  hook: Hook,
  target: Target | { error: string } | null,
  stopping: AbortSignal,
): Promise<Date | null> {
  for (let sent = 0; sent < maxInARow && !stopping.aborted; sent++) {
    const delivery = await senders.next(hook.id)
    if (!delivery) return null
    await senders.turn()
    const goesOn = await sendOne(senders, hook, target, delivery)
    if (goesOn !== true) return goesOn
  }
  // Hooks that have not been sent to for longer are claimed first.
  return new Date()
}

/** True if the next one may follow; otherwise as `sendInARow`. */
async function sendOne(
  { app, write }: Senders,
  hook: Hook,
  target: Target | { error: string } | null,
  delivery: WaitingDelivery,
): Promise<true | Date | null> {
  const { body, facts, retry_at } = delivery
  if (body === null) {
    if (facts !== null) return new Date(retry_at ?? Date.now() + soon_ms)
    await write((tx) => giveUp(tx, delivery.id, 'What it tells of has been deleted'))
    return true
  }
  const started = Date.now()
  const answer = await answerOf(app, hook, target, delivery, body)
  if (answer === null) {
    await write((tx) => forgetDelivery(tx, delivery.id))
    return true
  }
  const { state, failures, rests_for_ms, last_error } = consequenceOf(answer, hook, {
    attempts: delivery.attempts + 1,
    age_ms: started - Date.parse(delivery.created_at),
  })
  const rests_until = rests_for_ms === null ? null : new Date(Date.now() + rests_for_ms).toISOString()
  const duration_ms = Date.now() - started
  const hasNewHealth = failures !== hook.failures || hook.last_error !== last_error
  await write(async (tx) => {
    await recordAttempt(tx, delivery.id, {
      state,
      due_at: rests_until ?? delivery.due_at,
      response_status: 'status' in answer ? answer.status : null,
      // If there was no answer, an integration keeps the progress of earlier attempts.
      response_headers:
        'headers' in answer ? JSON.stringify(answer.headers) : hook.integration_id === null ? null : delivery.response_headers,
      response_body: 'body' in answer ? answer.body.replaceAll('\0', '') : null,
      duration_ms,
      error: 'error' in answer ? answer.error : null,
      attempted_at: new Date(started).toISOString(),
    })
    if (hasNewHealth) await recordHealth(tx, hook.id, { failures, rests_until, last_error })
  })
  hook.failures = failures
  hook.last_error = last_error
  return state === 'delivered' ? true : null
}
