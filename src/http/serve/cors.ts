/**
 * Cross-origin requests: pages of any origin may call the API, git URLs and the OAuth endpoints for programs, with credentials in headers
 * only; browsers never send the session along. Without `Access-Control-Allow-Credentials`, browsers don't let a page of another origin read
 * an answer to a request with a cookie, so every origin may be allowed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isOfApi, isOfGit, isOfOAuth } from '../parameters/target.ts'

/** Without `Access-Control-Allow-Credentials`, so no page of another origin reads an answer to a cookie. */
const allowed: ReadonlyArray<[name: string, value: string]> = [
  ['access-control-allow-origin', '*'],
  ['access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ['access-control-expose-headers', 'ETag, Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page'],
  ['access-control-max-age', '1728000'],
  ['vary', 'Origin'],
]

/** Set before anything can fail, so that a script can read errors, too. */
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
 * Sets the headers of a cross-origin request to the API, git or OAuth; does nothing for others. They are set on the response of Node.js,
 * where all code that writes answers includes them.
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
