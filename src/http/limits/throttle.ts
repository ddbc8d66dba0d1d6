/**
 * Limits of requests in a period, by user and by address (settings `throttle_*`). Probes are not counted: they don't come here.
 *
 * Counts are fixed windows in memory (of several processes the primary counts): in the database each request would write, and clients know the
 * `RateLimit-Reset` of a fixed window. A restart forgets them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import { networkOf } from '../../limits/network.ts'
import { type Throttle, type ThrottleName, windowEnd_s } from '../../limits/throttles.ts'
import { addressOf } from '../caller/address.ts'

/** The API, or everything else: pages, git, Git LFS. */
export type Surface = 'api' | 'web'

export interface ThrottledRequest<T> {
  request: FastifyRequest
  /** Gets the `RateLimit-*` headers; null where only refusals have them. */
  reply: FastifyReply | null
  on: Surface
  /** Reads the credentials. */
  authenticate: () => Promise<T>
  /** The user who signed the request; null for anonymous callers. */
  userOf: (caller: T) => { id: number } | null
}

/**
 * Authenticates a request and counts it: for its user, or for the address of anonymous callers and of credentials that are refused. Throws 429
 * beyond the limit. While all limits are off it only authenticates.
 */
export function throttled<T>(app: App, sent: ThrottledRequest<T>): Promise<T> {
  return app.limits.throttles.rules ? countedAndAuthenticated(app, sent) : sent.authenticate()
}

async function countedAndAuthenticated<T>(app: App, { request, reply, on, authenticate, userOf }: ThrottledRequest<T>): Promise<T> {
  const caller = await authenticate().catch(async (error: unknown) => {
    if (error instanceof Failure && error.status < 500) await countRequest(app, request, null, on)
    throw error
  })
  const headers = await countRequest(app, request, userOf(caller), on)
  // To the raw reply: answers of the API are written past Fastify.
  if (reply) for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
  return caller
}

/** Counts a request whose caller is known. Throws 429 beyond the limit, otherwise returns the `RateLimit-*` headers. */
export async function countRequest(
  app: App,
  request: FastifyRequest,
  user: { id: number } | null,
  on: Surface,
): Promise<Record<string, string>> {
  const name: ThrottleName = user ? `authenticated_${on}` : 'unauthenticated'
  const rule = app.limits.throttles.rules?.[name]
  if (!rule) return {}
  const key = user ? String(user.id) : networkOf(addressOf(request))
  const observed = await app.limits.throttles.count(name, key, rule.period_s)
  const reset_s = windowEnd_s(rule.period_s)
  const headers = headersOf(name, rule, { observed, reset_s })
  if (observed <= rule.max) return headers
  app.metrics.requestsThrottled.inc({ throttle: name })
  const retry_after_s = Math.max(1, reset_s - Math.floor(Date.now() / 1000))
  throw new Failure('too_many', 'Retry later', { retry_after_s, headers })
}

/** `RateLimit-Limit` is per minute whatever the period is, as in the reference. */
function headersOf(name: ThrottleName, { max, period_s }: Throttle, { observed, reset_s }: { observed: number; reset_s: number }) {
  return {
    'ratelimit-name': `throttle_${name}`,
    'ratelimit-limit': String(Math.ceil((max * 60) / period_s)),
    'ratelimit-observed': String(observed),
    'ratelimit-remaining': String(Math.max(0, max - observed)),
    'ratelimit-reset': String(reset_s),
    'ratelimit-resettime': new Date(reset_s * 1000).toUTCString(),
  }
}
