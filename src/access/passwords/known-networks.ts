/** The networks from which a user has signed in. A login that others have locked stays open there, also after the sessions have ended. */
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type Db, inTransaction, oneAtATime } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Tables } from '../../db/tables.ts'
import { networkOf } from '../../limits/network.ts'

/** Number of networks that are remembered per user, the latest ones. */
const maxRemembered = 50

/**
 * Records that the user has signed in from the network of this address.
 * @param max number of networks to keep, if a limit needs more than usual
 */
export async function rememberNetwork(db: Db, user_id: number, address: string, max = maxRemembered): Promise<void> {
  const used_at = now()
  await db
    .insertInto('known_networks')
    .values({ user_id, network: networkOf(address), used_at })
    .onConflict((conflict) => conflict.columns(['user_id', 'network']).doUpdateSet({ used_at }))
    .execute()
  const latest = db
    .selectFrom('known_networks')
    .select('network')
    .where('user_id', '=', user_id)
    .orderBy('used_at', 'desc')
    .orderBy('network')
    .limit(Math.max(max, maxRemembered))
  await db.deleteFrom('known_networks').where('user_id', '=', user_id).where('network', 'not in', latest).execute()
}

/** Whether the user has signed in from this network. */
export async function isKnownNetwork(db: Db, user_id: number, address: string | null): Promise<boolean> {
  if (address === null) return false
  const row = await db
    .selectFrom('known_networks')
    .select('used_at')
    .where('user_id', '=', user_id)
    .where('network', '=', networkOf(address))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether the user has ever signed in. */
export async function hasKnownNetwork(db: Db, user_id: number): Promise<boolean> {
  return (await db.selectFrom('known_networks').select('user_id').where('user_id', '=', user_id).limit(1).executeTakeFirst()) !== undefined
}

export interface NetworkLimit {
  max: number
  window_s: number
}

/** Uses that were recorded a moment ago, by database, so that not every request writes. */
const noted = new WeakMap<Kysely<Tables>, LRUCache<string, true>>()
const noteEvery_ms = 30_000

/**
 * Records that a user sends requests from this network. False if the user has used `max` other networks within the window; the network is
 * not recorded then, and requests from the others continue to be accepted.
 */
export async function isOneOfFewNetworks(
  db: Kysely<Tables>,
  user_id: number,
  address: string,
  { max, window_s }: NetworkLimit,
): Promise<boolean> {
  const recent = noted.get(db) ?? new LRUCache<string, true>({ max: 10_000, ttl: noteEvery_ms })
  noted.set(db, recent)
  const network = networkOf(address)
  // A window shorter than the interval between records would never be full.
  const key = `${user_id} ${network}`
  if (window_s * 1_000 > 2 * noteEvery_ms && recent.has(key)) return true
  const isWithin = await inTransaction(db, async (tx) => {
    await oneAtATime(tx, `networks of user ${user_id}`)
    const since = new Date(Date.now() - window_s * 1_000).toISOString()
    const used = await tx
      .selectFrom('known_networks')
      .select('network')
      .where('user_id', '=', user_id)
      .where('used_at', '>', since)
      .execute()
    if (used.length >= max && !used.some((row) => row.network === network)) return false
    await rememberNetwork(tx, user_id, address, max)
    return true
  })
  if (isWithin) recent.set(key, true)
  return isWithin
}

/** Users who have used as many networks within the window as they may: from others they are refused until the oldest use is forgotten. */
export async function usersAtNetworkLimit(db: Db, { max, window_s }: NetworkLimit) {
  const rows = await db
    .selectFrom('known_networks')
    .select((eb) => ['user_id', eb.fn.countAll<number>().as('count'), eb.fn.min('used_at').as('oldest')])
    .where('used_at', '>', new Date(Date.now() - window_s * 1_000).toISOString())
    .groupBy('user_id')
    .having((eb) => eb.fn.countAll<number>(), '>=', max)
    .orderBy('user_id')
    .limit(100)
    .execute()
  return rows.map(({ user_id, count, oldest }) => ({
    user_id,
    count: Number(count),
    until: new Date(Date.parse(oldest) + window_s * 1_000).toISOString(),
  }))
}
