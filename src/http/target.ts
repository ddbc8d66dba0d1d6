/** What a request asks for, as the router reads it. */
import type { FastifyRequest } from 'fastify'

/** Its address up to the query, the query after it, and nothing of a fragment, which is no business of a server. */
export function targetOf({ url }: Pick<FastifyRequest, 'url'>): { path: string; query: string } {
  const [whole = ''] = url.split('#', 1)
  const start = whole.indexOf('?')
  return start < 0 ? { path: whole, query: '' } : { path: whole.slice(0, start), query: whole.slice(start + 1) }
}
