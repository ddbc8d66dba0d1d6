/**
 * Rate limits of requests by user and by address (settings `throttle_*`, and those of single actions). Health probes are not counted, as
 * they don't come here. Counts are fixed windows in memory (with several processes, in the primary): in the database each request would
 * write, and clients use the `RateLimit-Reset` of a fixed window. Servers on one database share their counts once a second
 * (`features/instance/settings/shared-counts.ts`). A restart resets them.
 */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOneOfFewNetworks } from '../../access/passwords/known-networks.ts'
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import { networkOf } from '../../limits/network.ts'
import { type ActLimit, type Throttle, type ThrottleName, windowEnd_s } from '../../limits/throttles.ts'
import { addressOf } from '../caller/address.ts'

/** The API, or everything else: pages, git, Git LFS. */
export type Surface = 'api' | 'web'

export interface ThrottledRequest<T> {
  request: FastifyRequest
  /** Gets the `RateLimit-*` headers; null if only refusals have them. */
  reply: FastifyReply | null
  on: Surface
  /** The limit of the action that the request performs, if there is one. */
  limit?: ActLimit | null
  /** Reads the credentials. */
  authenticate: () => Promise<T>
  /** The authenticated user; null for anonymous callers. */
  userOf: (caller: T) => { id: number } | null
}

/**
 * Authenticates a request and counts it: for its user, or for the address of anonymous callers and of invalid credentials. Throws 429
 * beyond the limit. While all limits are off it only authenticates.
 */
export function throttled<T>(app: App, sent: ThrottledRequest<T>): Promise<T> {
  return app.limits.throttles.rules ? countedAndAuthenticated(app, sent) : sent.authenticate()
}

async function countedAndAuthenticated<T>(
  app: App,
  { request, reply, on, limit = null, authenticate, userOf }: ThrottledRequest<T>,
): Promise<T> {
  const caller = await authenticate().catch(async (error: unknown) => {
    if (error instanceof Failure && error.status < 500) await countRequest(app, request, null, on)
    throw error
  })
  const user = userOf(caller)
  const headers = await countRequest(app, request, user, on)
  if (limit) Object.assign(headers, await countAct(app, request, user, limit))
  if (user) await assertFewNetworks(app, request, user)
  // Set on the raw reply, since answers of the API bypass Fastify.
  if (reply) for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
  return caller
}

type Counted = { id: number } | null

/** Counts a request whose caller is known. Throws 429 beyond a limit, otherwise returns the `RateLimit-*` headers. */
export async function countRequest(app: App, request: FastifyRequest, user: Counted, on: Surface): Promise<Record<string, string>> {
  const { rules } = app.limits.throttles
  if (!rules || app.limits.throttles.isExempt(addressOf(request))) return {}
  const key = keyOf(request, user)
  const isProtected = rules.protected_paths !== null && request.method === 'POST' && isBelow(pathOf(request), rules.paths)
  const ofPath = isProtected
    ? await count(
        app,
        'protected_paths',
        key,
        user ? `throttle_authenticated_protected_paths_${on}` : 'throttle_unauthenticated_protected_paths',
      )
    : {}
  const name = user ? (`authenticated_${on}` as const) : 'unauthenticated'
  return { ...ofPath, ...(await count(app, name, key, `throttle_${name}`)) }
}

/** Counts an action with a limit of its own, as `countRequest` does. A raw file is counted for all clients together. */
export async function countAct(app: App, request: FastifyRequest, user: Counted, limit: ActLimit): Promise<Record<string, string>> {
  if (app.limits.throttles.isExempt(addressOf(request))) return {}
  // A digest, since paths are long and may not be valid text for a database.
  if (limit === 'raw_blob') return count(app, limit, hash('sha256', pathOf(request)), limit)
  const name = limit === 'search' && !user ? 'search_unauthenticated' : limit
  return count(app, name, keyOf(request, user), name)
}

function keyOf(request: FastifyRequest, user: Counted): string {
  return user ? String(user.id) : networkOf(addressOf(request))
}

/** Decoded, since letters written as `%61` lead to the same page and must not bypass its limit. */
function pathOf({ url }: FastifyRequest): string {
  const path = url.split('?', 1)[0] as string
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function isBelow(path: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => path.startsWith(beginning))
}

/** @param shown the limit's name in `RateLimit-Name` */
async function count(app: App, name: ThrottleName, key: string, shown: string): Promise<Record<string, string>> {
  const rule = app.limits.throttles.rules?.[name]
  if (!rule) return {}
  const observed = await app.limits.throttles.count(name, key, rule.period_s)
  const reset_s = windowEnd_s(rule.period_s)
  const headers = headersOf(shown, rule, { observed, reset_s })
  if (observed <= rule.max) return headers
  app.metrics.requestsThrottled.inc({ throttle: name })
  const retry_after_s = Math.max(1, reset_s - Math.floor(Date.now() / 1000))
  throw new Failure('too_many', 'Retry later', { retry_after_s, headers })
}

/** Throws 403 if the user has recently come from too many other networks (`unique_ips_limit_*`). */
async function assertFewNetworks(app: App, request: FastifyRequest, user: { id: number }): Promise<void> {
  const rule = app.limits.throttles.rules?.networks_per_user
  const address = addressOf(request)
  if (!rule || app.limits.throttles.isExempt(address)) return
  if (!(await isOneOfFewNetworks(app.db, user.id, address, rule)))
    throw new Failure('forbidden', 'You have used this account from too many addresses. Try again later, or from one of those.')
}

/** `RateLimit-Limit` is per minute whatever the period is, as in the reference. */
function headersOf(name: string, { max, period_s }: Throttle, { observed, reset_s }: { observed: number; reset_s: number }) {
  return {
    'ratelimit-name': name,
    'ratelimit-limit': String(Math.ceil((max * 60) / period_s)),
    'ratelimit-observed': String(observed),
    'ratelimit-remaining': String(Math.max(0, max - observed)),
    'ratelimit-reset': String(reset_s),
    'ratelimit-resettime': new Date(reset_s * 1000).toUTCString(),
  }
}
