/**
 * Cross-origin requests: pages of any origin may call the API, the addresses of git and those of OAuth for programs, by credentials in headers alone; browsers never
 * share the session with them.
 *
 * Without `Access-Control-Allow-Credentials` browsers show no page of another origin an answer to a cookie, so every origin may be allowed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isOfApi, isOfGit, isOfOAuth } from '../parameters/target.ts'

/** Without `Access-Control-Allow-Credentials`, so no page of another origin reads an answer to a cookie. */
const allowed: ReadonlyArray<[name: string, value: string]> = [
  ['access-control-allow-origin', '*'],
  ['access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ['access-control-expose-headers', 'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page'],
  ['access-control-max-age', '1728000'],
  ['vary', 'Origin'],
]

/** Before anything can fail: a script reads why it was refused, too. */
export function allowOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!isCrossOrigin(request.raw)) return done()
    setCorsHeaders(request.raw, reply.raw)
    const method = request.headers['access-control-request-method']
    if (request.method !== 'OPTIONS' || method === undefined) return done()
    void reply.code(200).type('text/plain').send('')
  })
}

/**
 * Sets the headers of a cross-origin request to the API, to git or to OAuth; does nothing for others. On the response of Node.js itself, where
 * whatever writes the answer, from the cache too, finds them.
 */
export function setCorsHeaders(request: IncomingMessage, response: ServerResponse): void {
  if (!isCrossOrigin(request)) return
  for (const [name, value] of allowed) response.setHeader(name, value)
  const wanted = request.headers['access-control-request-headers']
  if (wanted !== undefined) response.setHeader('access-control-allow-headers', wanted)
}

function isCrossOrigin({ headers, url }: IncomingMessage): boolean {
  return headers.origin !== undefined && (isOfApi(url) || isOfGit(url) || isOfOAuth(url))
}
