/** Path and query of a request, as the router splits them. */
import type { FastifyRequest } from 'fastify'

/** The path, and the query without its question mark; a fragment is dropped. */
export function targetOf({ url }: Pick<FastifyRequest, 'url'>): { path: string; query: string } {
  const [whole = ''] = url.split('#', 1)
  const start = whole.indexOf('?')
  return start < 0 ? { path: whole, query: '' } : { path: whole.slice(0, start), query: whole.slice(start + 1) }
}
