/** Records that an administrator acts as another user: once an hour per pair and network, however many requests they send. */
import { LRUCache } from 'lru-cache'
import type { Sudo } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import { inTransaction } from '../../db/database.ts'
import { publish } from '../../domain-events/domain-events.ts'
import { originOf, withOrigin } from '../../domain-events/origin.ts'
import { networkOf } from '../../limits/network.ts'

const recorded = new WeakMap<App['db'], LRUCache<string, true>>()

/** Called before anything is done as the user: if it can't be recorded, the request fails. */
export async function recordSudo({ db }: App, principal: Sudo, address: string): Promise<void> {
  const known = recorded.get(db) ?? new LRUCache<string, true>({ max: 1_000, ttl: 60 * 60_000 })
  recorded.set(db, known)
  const key = `${principal.sudoer.id} ${principal.user.id} ${networkOf(address)}`
  if (known.has(key)) return
  const { user } = principal
  await withOrigin(originOf(principal, address), () => inTransaction(db, (tx) => publish(tx, { type: 'sudo_used', user })))
  known.set(key, true)
}
