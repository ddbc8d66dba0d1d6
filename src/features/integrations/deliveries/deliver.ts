/** Queues an event for the webhooks that want it, in the transaction in which it happens. */
import type { Tx } from '../../../db/database.ts'
import type { HookFlag } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import type { Facts } from '../payloads/payloads.ts'
import { sendJob } from './deliveries.jobs.ts'
import { type HookInPlace, hooksOfPlace, insertDeliveries } from './deliveries.queries.ts'

/** Which hooks are notified. */
export interface Audience {
  /** Hooks of a project and the groups above it, or of a group and those above it; null for hooks of the instance only. */
  place: { project_id: number } | { namespace_id: number } | null
  /** The flag that hooks must have; null for all hooks of the instance. */
  flag: HookFlag | null
  /** Whether hooks of the instance with that flag get the same payload. */
  withInstance?: boolean
  /** The value of `X-Gitlab-Event` for hooks of projects and groups. */
  event: string
  /** Leaves those of these hooks that are not meant. */
  among?: (hooks: HookInPlace[]) => Promise<HookInPlace[]>
}

/** A payload that is built from facts when it is sent, or is already built. */
export type Content = { facts: Facts } | { body: object }

/** The value of that header for hooks of the instance. */
const systemEvent = 'System Hook'

/** @param contentsOf only called if a hook wants the event; each content is sent separately */
export async function deliver(
  tx: Tx,
  { event, flag, place, withInstance, among = async (all) => all }: Audience,
  contentsOf: () => Promise<Content[]> | Content[],
): Promise<void> {
  const reach = withInstance === undefined ? { place } : { place, withInstance }
  const hooks = await among(await hooksOfPlace(tx, { ...reach, flags: flag === null ? null : [flag] }))
  if (hooks.length === 0) return
  if (await deliverTo(tx, hooks, event, await contentsOf())) await enqueue(tx, sendJob, {})
}

/**
 * Doesn't wake the sender.
 * @returns whether there is something to send
 */
export async function deliverTo(tx: Tx, hooks: HookInPlace[], event: string, contents: Content[]): Promise<boolean> {
  if (hooks.length === 0 || contents.length === 0) return false
  const told = hooks.map(({ id, isOfInstance }) => ({ id, event: isOfInstance ? systemEvent : event }))
  const payloads = contents.map((content) => stored(event, content))
  await insertDeliveries(tx, told, payloads)
  return true
}

/** For hooks of the instance only, if the data for the payload is at hand. */
export async function deliverToInstance(tx: Tx, makeBody: () => Promise<object | null> | object | null): Promise<void> {
  await deliver(tx, { place: null, flag: null, event: systemEvent }, async () => bodies(await makeBody()))
}

export function bodies(body: object | null): Content[] {
  return body === null ? [] : [{ body }]
}

export function stored(event: string, content: Content): { event: string; body: string | null; facts: string | null } {
  return 'body' in content
    ? { event, body: JSON.stringify(content.body), facts: null }
    : { event, body: null, facts: JSON.stringify(content.facts) }
}
