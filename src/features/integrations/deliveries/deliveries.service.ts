/** Delivers what waits: to each hook in order, to many hooks at once, to one host a few at a time. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Hook } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { concurrencyLimiter, isRefusal, type Release } from '../../../limits/concurrency.ts'
import { post } from '../../../outgoing/post.ts'
import { pinTarget, readTarget, type Target } from '../../../outgoing/ssrf-guard.ts'
import { thisProcess } from '../../../program/process-identity.ts'
import { onEnqueued } from '../../../queue/queue.ts'
import { targetRules } from '../../instance/targets.ts'
import { fillUrl, valuesOf } from '../hooks/hooks.ts'
import {
  claimHooks,
  forgetDelivery,
  giveUp,
  nextDelivery,
  recordAttempt,
  recordHealth,
  releaseHook,
  renewClaim,
  storeBody,
  type WaitingDelivery,
} from './deliveries.queries.ts'
import { type Answer, consequenceOf } from './outcome.ts'
import { hostOfIntegration, perform } from './perform.ts'
import { headersOf } from './request.ts'

/** Hooks that are sent to at once. */
const maxAtOnce = 64
/** Deliveries to a hook before others have their turn. */
const maxInARow = 100
/** Longer than an attempt, so that a claim is another's only where its process is gone. */
const claim_ms = 60_000
const deadline_ms = 10_000
const shown_bytes = 8_192
const look_ms = 500
/** Where as many as may are sending to its host, or for its project, a hook waits so long, and others are claimed before it. */
const busy_ms = 1_000

const perHost = concurrencyLimiter({ perKey: 4, total: maxAtOnce })
/** Of a project, a group or the instance: many hosts that hang don't hold up the hooks of others. */
const perPlace = concurrencyLimiter({ perKey: 8, total: maxAtOnce })

/** Makes the body of a payload from its facts. Null: nothing is to be sent any more. */
export type BodyMaker = (app: App, facts: string) => Promise<string | null>

/** Until nothing is due. Several processes may do so. */
export async function sendAll(app: App, makeBody: BodyMaker, stopping: AbortSignal): Promise<void> {
  const active = new Set<Promise<void>>()
  const news = listenForNews()
  try {
    await sendWhileDue(app, makeBody, stopping, active, news)
  } finally {
    news.end()
  }
  await Promise.all(active)
}

/** What is committed meanwhile is seen at once, not at the next look. */
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
    const hooks = active.size < maxAtOnce ? await claimHooks(app.db, thisProcess, claimEnd(), maxAtOnce - active.size) : []
    for (const hook of hooks) {
      const sending = sendTo(app, hook, makeBody, stopping)
        .then((sent) => {
          if (sent === 'host is busy') returns_at = Date.now() + 2 * busy_ms
        })
        .catch((error: unknown) => app.log.error({ err: error, hook: hook.id }, 'webhooks: could not deliver'))
        .finally(() => active.delete(sending))
      active.add(sending)
    }
    if (active.size === 0 && Date.now() >= returns_at) return
    await Promise.race([...active, news.next(), delay(look_ms)])
  }
}

const claimEnd = () => new Date(Date.now() + claim_ms)

async function sendTo(app: App, hook: Hook, makeBody: BodyMaker, stopping: AbortSignal): Promise<'host is busy' | 'sent'> {
  let again: Date | null = null
  try {
    const target = targetOf(app, hook)
    const release = await takeTurn(await hostOf(app, hook, target), placeOf(hook))
    if (!release) {
      again = new Date(Date.now() + busy_ms)
      return 'host is busy'
    }
    try {
      for (let sent = 0; sent < maxInARow && !stopping.aborted; sent++) if (!(await sendNext(app, hook, target, makeBody))) break
    } finally {
      release()
    }
    return 'sent'
  } finally {
    await releaseHook(app.db, hook.id, thisProcess, again)
  }
}

/** Null where its host, or its project, has as many turns as it may have. */
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

/** Integrations of many projects lead to one host, too. */
async function hostOf(app: App, hook: Hook, target: Target | { error: string } | null): Promise<string> {
  if (target === null) return hostOfIntegration(app, hook)
  return 'host' in target ? target.host : ''
}

/** False where the next has to wait, or nothing is left. */
async function sendNext(app: App, hook: Hook, target: Target | { error: string } | null, makeBody: BodyMaker): Promise<boolean> {
  // SQLite answers at once: without it a long row of deliveries for which nothing is to be sent would let nothing else happen.
  await nextTurn()
  const delivery = await nextDelivery(app.db, hook.id)
  if (!delivery || !(await renewClaim(app.db, hook.id, thisProcess, claimEnd()))) return false
  const body = delivery.body ?? (await bodyOf(app, delivery, makeBody))
  if (body === null) {
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
      response_headers: 'headers' in answer ? JSON.stringify(answer.headers) : null,
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

/** Kept, so that each attempt sends the same. */
async function bodyOf(app: App, { payload_id, facts }: WaitingDelivery, makeBody: BodyMaker): Promise<string | null> {
  const made = facts === null ? null : await makeBody(app, facts)
  return made === null ? null : storeBody(app.db, payload_id, made)
}

/** Null where there is nothing to send: the event is nothing to this integration. */
async function answerOf(
  app: App,
  hook: Hook,
  target: Target | { error: string } | null,
  delivery: WaitingDelivery,
  body: string,
): Promise<FullAnswer | { error: string } | null> {
  if (target === null) return perform(app, hook, delivery, body)
  return 'error' in target ? target : attempt(app, hook, target, delivery, Buffer.from(body))
}

interface FullAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

async function attempt(
  app: App,
  hook: Hook,
  target: Target,
  delivery: WaitingDelivery,
  body: Buffer,
): Promise<FullAnswer | Extract<Answer, { error: string }>> {
  try {
    const pinned = await pinTarget(target, await rulesOf(app, hook))
    return await post(pinned, {
      headers: headersOf(app, hook, delivery, body, new Date()),
      body,
      deadline_ms,
      max_bytes: shown_bytes,
      verifies: hook.enable_ssl_verification,
    })
  } catch (error) {
    if (error instanceof Failure) return { error: error.message }
    throw error
  }
}

/** What was allowed when it was given may be forbidden by now. Null for an integration, which finds its own. */
function targetOf(app: App, hook: Hook): Target | { error: string } | null {
  if (hook.integration_id !== null) return null
  try {
    const { url, missing } = fillUrl(app.secrets.unseal(hook.url, 'hooks.url'), valuesOf(app, hook, 'url_variables'))
    return missing === null ? readTarget(url, { local: true }) : { error: `The URL variable ${missing} has no value` }
  } catch (error) {
    if (error instanceof Failure) return { error: error.message }
    throw error
  }
}

/** Hooks of the instance are an administrator's. */
async function rulesOf(app: App, { project_id, namespace_id }: Hook): Promise<{ local: boolean }> {
  return project_id === null && namespace_id === null ? { local: true } : targetRules(app)
}
