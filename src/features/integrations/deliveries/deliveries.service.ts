/** Sends pending deliveries: in order for each hook, to many hooks concurrently, to one host a few at a time. */
import { setTimeout as delay } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import { stateOf, thisProcess } from '../../../program/process-identity.ts'
import { onEnqueued } from '../../../queue/queue.ts'
import { claimHooks, releaseHooksOf, sendersOfHooks } from './claims.queries.ts'
import { dropFacts, giveUpPayload, makeLater, type PayloadToMake, payloadsToMake, storeBody } from './deliveries.queries.ts'
import type { Write } from './gathering.ts'
import { claimEnd, maxAtOnce, type Senders, sendersOf, sendTo } from './sender.service.ts'

const look_ms = 500
/** If a hook may be claimed again within this time, that is waited for. */
const patience_ms = 2_000
/** Deliveries that end or are enqueued within this time are handled by one look. */
const gap_ms = 25
/** Looking takes at most this share of the time, however many hooks there are. */
const lookingShare = 1 / 10
/** Payloads that are built before their bodies are stored and hooks are claimed again, and for how long. */
const madeAtOnce = 50
const making_ms = 50
/** Delays after each failure to build a payload. */
const waits_ms = [10_000, 60_000, 5 * 60_000, 15 * 60_000]

/** Builds the body of a payload from its facts. Null if nothing is to be sent any more. */
export type BodyMaker = (app: App, facts: string) => Promise<string | null>

/** Runs until nothing is due. Several processes may do so. */
export async function sendAll(app: App, makeBody: BodyMaker, stopping: AbortSignal): Promise<void> {
  await releaseOrphans(app)
  const active = new Set<Promise<void>>()
  const bell = openBell()
  try {
    await sendWhileDue(
      sendersOf(app, () => active.size),
      makeBody,
      { stopping, active, bell },
    )
  } finally {
    bell.close()
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

interface Bell {
  ring: () => void
  /** Resolves when it rings the next time, at the latest after `ms`. */
  heard: (ms: number) => Promise<void>
  close: () => void
}

/** Rings when deliveries are committed, too, so that these are noticed at once. */
function openBell(): Bell {
  let ring = () => {}
  const end = onEnqueued((lane) => lane === 'webhooks' && ring())
  return {
    ring: () => ring(),
    heard: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        ring = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    close() {
      ring()
      end()
    },
  }
}

interface Lane {
  stopping: AbortSignal
  active: Set<Promise<void>>
  bell: Bell
}

async function sendWhileDue(senders: Senders, makeBody: BodyMaker, { stopping, active, bell }: Lane): Promise<void> {
  const { app } = senders
  let returns_at = 0
  while (!stopping.aborted) {
    // Includes what is committed while the database is read.
    const isTold = bell.heard(look_ms)
    const makesMore = await makeBodies(senders, makeBody, stopping)
    const began = performance.now()
    const hooks = active.size < maxAtOnce ? await claimHooks(app.db, thisProcess, claimEnd(), maxAtOnce - active.size) : []
    const took_ms = performance.now() - began
    for (const hook of hooks) {
      const sending = sendTo(senders, hook, stopping)
        .then((again) => {
          const at = again?.getTime() ?? 0
          if (at < Date.now() + patience_ms) returns_at = Math.max(returns_at, at + look_ms)
        })
        .catch((error: unknown) => app.log.error({ err: error, hook: hook.id }, 'webhooks: could not deliver'))
        .finally(() => {
          active.delete(sending)
          bell.ring()
        })
      active.add(sending)
    }
    if (makesMore) continue
    if (active.size === 0 && Date.now() >= returns_at) return
    await isTold
    await delay(Math.max(gap_ms, took_ms / lookingShare))
  }
}

/**
 * Payloads describe the time of the event, even if the hook is paused for days, so their bodies are built at once and stored, and each
 * attempt sends the same.
 * @returns whether there are more
 */
async function makeBodies({ app, turn, write }: Senders, makeBody: BodyMaker, stopping: AbortSignal): Promise<boolean> {
  const payloads = await payloadsToMake(app.db, madeAtOnce)
  const made: Array<{ payload: PayloadToMake; outcome: Write }> = []
  const began = performance.now()
  for (const payload of payloads) {
    if (stopping.aborted || performance.now() - began > making_ms) break
    made.push({ payload, outcome: await makeOne(app, payload, makeBody) })
    await turn()
  }
  // A body that can't be stored is a failure, too.
  await Promise.all(made.map(({ payload, outcome }) => write(outcome).catch((error) => write(afterFailure(app, payload, error)))))
  return !stopping.aborted && (payloads.length === madeAtOnce || made.length < payloads.length)
}

async function makeOne(app: App, payload: PayloadToMake, makeBody: BodyMaker): Promise<Write> {
  try {
    const body = await makeBody(app, payload.facts)
    return (tx) => (body === null ? dropFacts(tx, payload.id) : storeBody(tx, payload.id, body))
  } catch (error) {
    return afterFailure(app, payload, error)
  }
}

/** A failure is retried later, and becomes final after the last delay. */
function afterFailure(app: App, { id, failures }: PayloadToMake, error: unknown): Write {
  const wait_ms = waits_ms[failures]
  app.log.error({ err: error, payload: id, failures: failures + 1 }, 'webhooks: could not make a payload')
  return wait_ms === undefined
    ? (tx) => giveUpPayload(tx, id, 'Its payload could not be made: the log of the server tells why')
    : (tx) => makeLater(tx, id, new Date(Date.now() + wait_ms))
}
