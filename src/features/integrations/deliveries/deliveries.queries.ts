/** SQL for webhook deliveries. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among, rowsByKeptPlan } from '../../../db/prepared-queries.ts'
import type { Hook, HookDelivery, HookDeliveryTable, HookFlag } from '../../../db/tables.ts'

export interface HookInPlace extends Pick<Hook, HookFlag | 'id' | 'is_status_check' | 'push_events_branch_filter'> {
  isOfInstance: boolean
}

interface PlaceOfHooks {
  place: { project_id: number } | { namespace_id: number } | null
  /** One of these; null for any. */
  flags: HookFlag[] | null
  withInstance?: boolean
}

/** The hooks of a place and of the groups above it, or of the instance, that want such events: one statement. */
export async function hooksOfPlace(tx: Db, { place, flags, withInstance = place === null }: PlaceOfHooks): Promise<HookInPlace[]> {
  const hooks = tx.selectFrom('hooks').selectAll()
  const wanting = (flags === null ? hooks : hooks.where((eb) => eb.or(flags.map((flag) => eb(flag, '=', sql.lit(true))))))
    .where((eb) =>
      eb.or([
        ...(place && 'project_id' in place ? [eb('project_id', '=', place.project_id)] : []),
        ...(place ? [eb('namespace_id', 'in', ancestorsOf(tx, place))] : []),
        ...(withInstance ? [eb.and([eb('project_id', 'is', null), eb('namespace_id', 'is', null)])] : []),
      ]),
    )
    .orderBy('id')
  const rows = await rowsByKeptPlan(tx, wanting)
  return rows.map((row) => ({ ...row, isOfInstance: row.project_id === null && row.namespace_id === null }))
}

function ancestorsOf(tx: Db, place: { project_id: number } | { namespace_id: number }) {
  const ancestors = tx.selectFrom('namespace_ancestors').select('namespace_ancestors.ancestor_id')
  return 'namespace_id' in place
    ? ancestors.where('namespace_ancestors.namespace_id', '=', place.namespace_id)
    : ancestors
        .innerJoin('projects', 'projects.namespace_id', 'namespace_ancestors.namespace_id')
        .where('projects.id', '=', place.project_id)
}

/** Null for the wiki of a group. */
export async function projectOfWiki(db: Db, id: number): Promise<number | null> {
  const wiki = await db.selectFrom('wikis').select('project_id').where('id', '=', id).executeTakeFirst()
  return wiki?.project_id ?? null
}

export interface NewPayload {
  event: string
  /** Null if it is built from `facts` before it is sent. */
  body: string | null
  facts: string | null
}

/** Rows per statement. */
const rowsAtOnce = 500

/**
 * Each payload for each of these hooks.
 * @returns the ids of the payloads
 */
export async function insertDeliveries(tx: Tx, hooks: { id: number; event: string }[], payloads: NewPayload[]): Promise<number[]> {
  if (hooks.length === 0) return []
  const created_at = now()
  const ids: number[] = []
  for (let at = 0; at < payloads.length; at += rowsAtOnce) {
    const rows = payloads.slice(at, at + rowsAtOnce).map((payload) => ({ ...payload, created_at }))
    const inserted = await tx.insertInto('hook_payloads').values(rows).returning('id').execute()
    // Ids are in the order in which the rows were given, whatever the order of the result.
    ids.push(...inserted.map(({ id }) => id).sort((a, b) => a - b))
  }
  const rows = ids.flatMap((payload_id) =>
    hooks.map(({ id: hook_id, event }) => ({ hook_id, payload_id, uuid: crypto.randomUUID(), event, due_at: created_at, created_at })),
  )
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await tx
      .insertInto('hook_deliveries')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute()
  }
  return ids
}

/** The row by which an integration receives events. */
export async function hookOfIntegration(db: Db, integration_id: number): Promise<Hook | null> {
  return (await db.selectFrom('hooks').selectAll().where('integration_id', '=', integration_id).executeTakeFirst()) ?? null
}

export interface WaitingDelivery extends HookDelivery {
  body: string | null
  facts: string | null
  /** When building the payload is retried, if it failed. */
  retry_at: string | null
}

/**
 * The oldest pending one of each of these hooks, if there is one and the hook is still there and claimed by the sender: two statements for
 * all.
 */
export async function nextDeliveries(db: Db, sender: string, hook_ids: number[]): Promise<Map<number, WaitingDelivery>> {
  const found = await db
    .selectFrom('hooks')
    .select((eb) =>
      eb
        .selectFrom('hook_deliveries')
        .select('hook_deliveries.id')
        .whereRef('hook_deliveries.hook_id', '=', 'hooks.id')
        .where('hook_deliveries.state', '=', sql.lit('waiting' as const))
        .orderBy('hook_deliveries.id')
        .limit(1)
        .as('id'),
    )
    .where('sender', '=', sender)
    .where(among(db, 'hooks.id', hook_ids))
    .execute()
  const ids = found.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('hook_deliveries')
    .innerJoin('hook_payloads', 'hook_payloads.id', 'hook_deliveries.payload_id')
    .selectAll('hook_deliveries')
    .select(['hook_payloads.body', 'hook_payloads.facts', 'hook_payloads.retry_at'])
    .where(among(db, 'hook_deliveries.id', ids))
    .where('hook_deliveries.state', '=', sql.lit('waiting' as const))
    .execute()
  return new Map(rows.map((row) => [row.hook_id, row]))
}

export interface PayloadToMake {
  id: number
  facts: string
  failures: number
}

/** The oldest payloads that are still to be built from facts and are due. */
export async function payloadsToMake(db: Db, limit: number): Promise<PayloadToMake[]> {
  const rows = await db
    .selectFrom('hook_payloads')
    .select(['id', 'facts', 'failures'])
    .where('body', 'is', null)
    .where('facts', 'is not', null)
    .where((eb) => eb.or([eb('retry_at', 'is', null), eb('retry_at', '<=', now())]))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.flatMap(({ facts, ...row }) => (facts === null ? [] : [{ ...row, facts }]))
}

/** Building its body failed. */
export async function makeLater(tx: Tx, payload_id: number, at: Date): Promise<void> {
  const later = { failures: sql<number>`failures + 1`, retry_at: at.toISOString() }
  await tx.updateTable('hook_payloads').set(later).where('id', '=', payload_id).execute()
}

/** It is delivered to nobody, so that later deliveries can continue. */
export async function giveUpPayload(tx: Tx, payload_id: number, error: string): Promise<void> {
  await dropFacts(tx, payload_id)
  const waiting = tx.updateTable('hook_deliveries').set({ state: 'failed', error, attempted_at: now() })
  await waiting
    .where('payload_id', '=', payload_id)
    .where('state', '=', sql.lit('waiting' as const))
    .execute()
}

/** The facts are of no further use. */
export async function dropFacts(tx: Tx, payload_id: number): Promise<void> {
  await tx.updateTable('hook_payloads').set({ facts: null }).where('id', '=', payload_id).execute()
}

/** Unless another process was faster: all attempts send the same body. */
export async function storeBody(tx: Tx, payload_id: number, body: string): Promise<void> {
  await tx.updateTable('hook_payloads').set({ body }).where('id', '=', payload_id).where('body', 'is', null).execute()
}

export type Attempt = Pick<
  HookDeliveryTable,
  'response_status' | 'response_headers' | 'response_body' | 'duration_ms' | 'error' | 'attempted_at' | 'due_at'
> & { state: HookDelivery['state'] }

export async function recordAttempt(tx: Tx, id: number, attempt: Attempt): Promise<void> {
  await tx
    .updateTable('hook_deliveries')
    .set({ ...attempt, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .execute()
}

/** Deletes a delivery for which nothing was sent. */
export async function forgetDelivery(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('hook_deliveries').where('id', '=', id).execute()
}

/** Fails it finally, without an attempt. */
export async function giveUp(tx: Tx, id: number, error: string): Promise<void> {
  await tx.updateTable('hook_deliveries').set({ state: 'failed', error, attempted_at: now() }).where('id', '=', id).execute()
}

export type Health = Pick<Hook, 'failures' | 'rests_until' | 'last_error'>

export async function recordHealth(tx: Tx, hook_id: number, health: Health): Promise<void> {
  await tx.updateTable('hooks').set(health).where('id', '=', hook_id).execute()
}

/**
 * Queues finally failed ones again at the end.
 * @returns how many
 */
export async function sendAgain(tx: Tx, hook_id: number, id: number | null): Promise<number> {
  const again = tx.updateTable('hook_deliveries').set({ state: 'waiting', due_at: now(), attempts: 0 }).where('hook_id', '=', hook_id)
  const chosen = id === null ? again.where('state', '=', sql.lit('failed' as const)) : again.where('id', '=', id)
  const { numUpdatedRows } = await chosen.executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Makes its pending deliveries due at once. */
export async function wakeHook(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('hooks').set({ rests_until: null }).where('id', '=', id).execute()
  const waiting = tx.updateTable('hook_deliveries').set({ due_at: now() }).where('hook_id', '=', id)
  await waiting.where('state', '=', sql.lit('waiting' as const)).execute()
}

export async function newestOf(tx: Tx, hook_id: number): Promise<number> {
  const newest = tx.selectFrom('hook_deliveries').select('id').where('hook_id', '=', hook_id).orderBy('id', 'desc').limit(1)
  return (await newest.executeTakeFirstOrThrow()).id
}

/** @returns how many were deleted */
export async function deleteOld(tx: Tx, before: string, limit: number): Promise<number> {
  const old = tx.selectFrom('hook_payloads').select('id').where('created_at', '<', before).orderBy('created_at').limit(limit)
  const { numDeletedRows } = await tx.deleteFrom('hook_payloads').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}
