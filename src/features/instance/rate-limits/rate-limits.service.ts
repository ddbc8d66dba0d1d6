/** Lists clients that are over a rate limit now: for all limits, and for all processes of an instance. */
import { fullCounts, liftCount } from '../../../access/passwords/full-counts.ts'
import { usersAtNetworkLimit } from '../../../access/passwords/known-networks.ts'
import type { RefusingCount } from '../../../access/passwords/rate-limit.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { actLimits, type ThrottleName, throttleNames, windowEnd_s } from '../../../limits/throttles.ts'

export interface RefusedClient {
  limit: ThrottleName | RefusingCount | 'networks_per_user'
  /** Null where an address or nobody's login is limited, and where all clients are together. */
  user_id: number | null
  /** An address, or an IPv6 network; null for limits of users. */
  network: string | null
  count: number
  max: number
  until: Instant
  /** Names the count for `liftLimit`; null if it only ends by itself. */
  key: string | null
}

const counted = [...throttleNames, 'protected_paths', ...(Object.keys(actLimits) as Array<keyof typeof actLimits>)] as const

/** At most a hundred by each limit. */
export async function refusedClients(app: App): Promise<RefusedClient[]> {
  const networks = app.limits.throttles.rules?.networks_per_user
  const [signIns, requests, users] = await Promise.all([
    fullCounts(app.db),
    Promise.all(counted.map((name) => refusedBy(app, name))),
    networks ? usersAtNetworkLimit(app.db, networks) : [],
  ])
  return [
    ...requests.flat(),
    ...signIns.map(({ name, ...client }) => ({ limit: name, ...client })),
    ...users.map((user) => ({ limit: 'networks_per_user' as const, network: null, key: null, max: networks?.max ?? 0, ...user })),
  ]
}

/** Lets somebody in again whom a limit of sign-ins, sign-ups or mail refuses. False if it refuses nobody any more. */
export function liftLimit(app: App, key: string): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const lifted = await liftCount(tx, key)
    if (lifted === null) return false
    const { name: limit, user_id, network } = lifted
    await publish(tx, { type: 'sign_in_limit_lifted', limit, user_id, network })
    return true
  })
}

async function refusedBy({ limits: { throttles } }: App, limit: ThrottleName): Promise<RefusedClient[]> {
  const rule = throttles.rules?.[limit]
  if (!rule) return []
  const until = new Date(windowEnd_s(rule.period_s) * 1_000).toISOString()
  return (await throttles.above(limit, rule)).map(({ key, count }) => ({
    limit,
    ...clientOf(limit, key),
    count,
    max: rule.max,
    until,
    key: null,
  }))
}

/** Keys are ids of users, or networks, which have a dot or a colon; a raw file is counted for all clients. */
function clientOf(limit: ThrottleName, key: string): Pick<RefusedClient, 'user_id' | 'network'> {
  if (limit === 'raw_blob') return { user_id: null, network: null }
  return /^\d+$/.test(key) ? { user_id: Number(key), network: null } : { user_id: null, network: key }
}
