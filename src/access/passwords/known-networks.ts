/** The networks that a user has signed in from: there the guesses of others keep nobody out, also after the sessions have ended. */
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import { networkOf } from '../../limits/network.ts'

/** The latest ones of a user. */
const maxRemembered = 50

/** Notes that the user has signed in from the network of this address. */
export async function rememberNetwork(db: Db, user_id: number, address: string): Promise<void> {
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
    .limit(maxRemembered)
  await db.deleteFrom('known_networks').where('user_id', '=', user_id).where('network', 'not in', latest).execute()
}

/** Whether the user has signed in from there. */
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
