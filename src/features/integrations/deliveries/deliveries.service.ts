/** Sends pending deliveries: in order for each hook, to many hooks concurrently, to one host a few at a time. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Hook } from '../../../db/tables.ts'
import { concurrencyLimiter, isRefusal, type Release } from '../../../limits/concurrency.ts'
import type { Target } from '../../../outgoing/ssrf-guard.ts'
import { stateOf, thisProcess } from '../../../program/process-identity.ts'
import { onEnqueued } from '../../../queue/queue.ts'
import { answerOf, hostOf, targetOf } from './attempt.ts'
import {
  claimHooks,
  dropFacts,
  forgetDelivery,
  giveUp,
  giveUpPayload,
  makeLater,
  nextDelivery,
  type PayloadToMake,
  payloadsToMake,
  recordAttempt,
  recordHealth,
  releaseHook,
  releaseHooksOf,
  renewClaim,
  sendersOfHooks,
  storeBody,
} from './deliveries.queries.ts'
import { consequenceOf } from './outcome.ts'

/** Maximum of hooks that are sent to concurrently. */
const maxAtOnce = 64
/** Deliveries to one hook before others take their turn. */
const maxInARow = 100
/** Longer than an attempt, so that a claim only expires if its process is gone. */
const claim_ms = 60_000
const look_ms = 500
/** Payloads built before hooks are claimed again. */
const madeAtOnce = 100
/** How long to wait for payloads that this or another process is building. */
const soon_ms = 100
/** Delays after each failure to build a payload. */
const waits_ms = [10_000, 60_000, 5 * 60_000, 15 * 60_000]
/** If the host or the project of a hook already has its maximum of senders, the hook waits this long, and others are claimed first. */
const busy_ms = 1_000

const perHost = concurrencyLimiter({ perKey: 4, total: maxAtOnce })
/** Limits per project, group or instance, so that many hosts that hang don't delay the hooks of others. */
const perPlace = concurrencyLimiter({ perKey: 8, total: maxAtOnce })

/** Builds the body of a payload from its facts. Null if nothing is to be sent any more. */
export type BodyMaker = (app: App, facts: string) => Promise<string | null>

/** Runs until nothing is due. Several processes may do so. */
export async function sendAll(app: App, makeBody: BodyMaker, stopping: AbortSignal): Promise<void> {
  await releaseOrphans(app)
  const active = new Set<Promise<void>>()
  const news = listenForNews()
  try {
    await sendWhileDue(app, makeBody, stopping, active, news)
  } finally {
    news.end()
  }
  await Promise.all(active)
}

/** After a kill, the claims of the last process would block its hooks for a minute. Done once per start; later claims of others expire. */
async function releaseOrphans(app: App): Promise<void> {
  if (released.has(app)) return
  released.add(app)
  await releaseHooksOf(
    app.db,
    (await sendersOfHooks(app.db)).filter((sender) => stateOf(sender) === 'dead'),
  )
}

const released = new WeakSet<App>()

/** Deliveries committed meanwhile are noticed at once, not at the next check. */
function listenForNews() {
  let wake = () => {}
  const end = onEnqueued((lane) => lane === 'webhooks' && wake())
  return {
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve
      }),
    end,
  }
}

async function sendWhileDue(
  app: App,
  makeBody: BodyMaker,
  stopping: AbortSignal,
  active: Set<Promise<void>>,
  news: ReturnType<typeof listenForNews>,
): Promise<void> {
  let returns_at = 0
  while (!stopping.aborted) {
    // Includes what is committed while the database is read.
    const isTold = news.next()
    const makesMore = await makeBodies(app, makeBody, stopping)
    const hooks = active.size < maxAtOnce ? await claimHooks(app.db, thisProcess, claimEnd(), maxAtOnce - active.size) : []
    for (const hook of hooks) {
      const sending = sendTo(app, hook, stopping)
        .then((sent) => {
          if (sent === 'host is busy') returns_at = Date.now() + 2 * busy_ms
        })
        .catch((error: unknown) => app.log.error({ err: error, hook: hook.id }, 'webhooks: could not deliver'))
        .finally(() => active.delete(sending))
      active.add(sending)
    }
    if (makesMore) continue
    if (active.size === 0 && Date.now() >= returns_at) return
    await Promise.race([...active, isTold, delay(look_ms)])
  }
}

const claimEnd = () => new Date(Date.now() + claim_ms)

async function sendTo(app: App, hook: Hook, stopping: AbortSignal): Promise<'host is busy' | 'sent'> {
  let again: Date | null = null
  try {
    const target = targetOf(app, hook)
    const release = await takeTurn(await hostOf(app, hook, target), placeOf(hook))
    if (!release) {
      again = new Date(Date.now() + busy_ms)
      return 'host is busy'
    }
    try {
      for (let sent = 0; sent < maxInARow && !stopping.aborted; sent++) {
        const next = await sendNext(app, hook, target)
        if (next instanceof Date) again = next
        if (next !== true) break
      }
    } finally {
      release()
    }
    return 'sent'
  } finally {
    await releaseHook(app.db, hook.id, thisProcess, again)
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

/** False if the next one has to wait, or none is left; an instant if its payload can't be built before. */
async function sendNext(app: App, hook: Hook, target: Target | { error: string } | null): Promise<boolean | Date> {
  // SQLite answers synchronously: without a turn of the event loop, a long series of deliveries without a request would block everything
  // else.
  await nextTurn()
  const delivery = await nextDelivery(app.db, hook.id)
  if (!delivery || !(await renewClaim(app.db, hook.id, thisProcess, claimEnd()))) return false
  const { body, facts, retry_at } = delivery
  if (body === null) {
    if (facts !== null) return new Date(retry_at ?? Date.now() + soon_ms)
    await inTransaction(app.db, (tx) => giveUp(tx, delivery.id, 'What it tells of has been deleted'))
    return true
  }
  const started = Date.now()
  const answer = await answerOf(app, hook, target, delivery, body)
  if (answer === null) return forgetDelivery(app.db, delivery.id)
  const attempted_at = new Date(started)
  const consequence = consequenceOf(answer, hook, {
    attempts: delivery.attempts + 1,
    age_ms: started - Date.parse(delivery.created_at),
  })
  const { state, failures, rests_for_ms, last_error } = consequence
  const rests_until = rests_for_ms === null ? null : new Date(Date.now() + rests_for_ms).toISOString()
  await inTransaction(app.db, async (tx) => {
    await recordAttempt(tx, delivery.id, {
      state,
      due_at: rests_until ?? delivery.due_at,
      response_status: 'status' in answer ? answer.status : null,
      // If there was no answer, an integration keeps the progress of earlier attempts.
      response_headers:
        'headers' in answer ? JSON.stringify(answer.headers) : hook.integration_id === null ? null : delivery.response_headers,
      response_body: 'body' in answer ? answer.body.replaceAll('\0', '') : null,
      duration_ms: Date.now() - started,
      error: 'error' in answer ? answer.error : null,
      attempted_at: attempted_at.toISOString(),
    })
    if (failures !== hook.failures || hook.last_error !== last_error) await recordHealth(tx, hook.id, { failures, rests_until, last_error })
  })
  hook.failures = failures
  hook.last_error = last_error
  return state === 'delivered'
}

/**
 * Payloads describe the time of the event, even if the hook is paused for days, so their bodies are built at once and stored, and each
 * attempt sends the same.
 * @returns whether there are more
 */
async function makeBodies(app: App, makeBody: BodyMaker, stopping: AbortSignal): Promise<boolean> {
  const payloads = await payloadsToMake(app.db, madeAtOnce)
  for (const { id, facts, failures } of payloads) {
    if (stopping.aborted) return false
    await makeOne(app, { id, facts, failures }, makeBody)
    await nextTurn()
  }
  return payloads.length === madeAtOnce
}

/** A failure is retried later, and becomes final after the last delay. */
async function makeOne(app: App, { id, facts, failures }: PayloadToMake, makeBody: BodyMaker): Promise<void> {
  try {
    const body = await makeBody(app, facts)
    await (body === null ? dropFacts(app.db, id) : storeBody(app.db, id, body))
  } catch (error) {
    const wait_ms = waits_ms[failures]
    app.log.error({ err: error, payload: id, failures: failures + 1 }, 'webhooks: could not make a payload')
    if (wait_ms !== undefined) return makeLater(app.db, id, new Date(Date.now() + wait_ms))
    await giveUpPayload(app.db, id, 'Its payload could not be made: the log of the server tells why')
  }
}
