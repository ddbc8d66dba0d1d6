/** Queues what happened for the webhooks that want it, in the transaction in which it happened. */
import type { Tx } from '../../../db/database.ts'
import type { HookFlag } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import type { Facts } from '../payloads/payloads.ts'
import { sendJob } from './deliveries.jobs.ts'
import { type HookInPlace, hooksOfPlace, insertDeliveries } from './deliveries.queries.ts'

/** Who is told. */
export interface Audience {
  /** Hooks of a project and the groups above it, or of a group and those above it; null for hooks of the instance alone. */
  place: { project_id: number } | { namespace_id: number } | null
  /** What they must want; null for all of the instance. */
  flag: HookFlag | null
  /** Whether hooks of the instance with that flag are told the same. */
  withInstance?: boolean
  /** The header `X-Gitlab-Event`, for hooks of projects and groups. */
  event: string
}

/** A payload that is made of facts when it is sent, or is made already. */
export type Content = { facts: Facts } | { body: object }

/** The header, for hooks of the instance. */
const systemEvent = 'System Hook'

/** @param contentsOf called only where a hook wants it; each content is sent by itself */
export async function deliver(
  tx: Tx,
  { event, flag, place, withInstance }: Audience,
  contentsOf: () => Promise<Content[]> | Content[],
): Promise<void> {
  const reach = withInstance === undefined ? { place } : { place, withInstance }
  const hooks = await hooksOfPlace(tx, { ...reach, flags: flag === null ? null : [flag] })
  if (hooks.length === 0) return
  if (await deliverTo(tx, hooks, event, await contentsOf())) await enqueue(tx, sendJob, {})
}

/** Without waking who sends it. @returns whether there is something to send */
export async function deliverTo(tx: Tx, hooks: HookInPlace[], event: string, contents: Content[]): Promise<boolean> {
  if (hooks.length === 0 || contents.length === 0) return false
  const told = hooks.map(({ id, isOfInstance }) => ({ id, event: isOfInstance ? systemEvent : event }))
  const payloads = contents.map((content) => stored(event, content))
  await insertDeliveries(tx, told, payloads)
  return true
}

/** For hooks of the instance alone, where what it is made of is there. */
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
