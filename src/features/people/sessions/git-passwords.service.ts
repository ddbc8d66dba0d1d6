/** Records that a user uses git with their password: once per hour, user and network, as git sends many requests. */
import { LRUCache } from 'lru-cache'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { networkOf } from '../../../limits/network.ts'

const recorded = new WeakMap<App['db'], LRUCache<string, true>>()

export async function recordGitPassword({ db }: App, { id, username }: User, address: string): Promise<void> {
  const known = recorded.get(db) ?? new LRUCache<string, true>({ max: 1_000, ttl: 60 * 60_000 })
  recorded.set(db, known)
  const key = `${id} ${networkOf(address)}`
  if (known.has(key)) return
  await inTransaction(db, (tx) => publish(tx, { type: 'git_password_used', user: { id, username }, address }))
  known.set(key, true)
}
