/** The caller of files at addresses of their own, outside the API: counted, and with the scope and the terms that reading needs. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { authenticate, type Caller, requireScope, requireTerms } from '../http/caller/authenticate.ts'
import { throttled } from '../http/limits/throttle.ts'

/** Throws 401, 403, and 429 beyond a throttle. */
export async function callerOfFile(app: App, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const caller = await throttled(app, {
    request,
    reply,
    on: 'web',
    authenticate: () => authenticate(app, request, { jobTokens: false }),
    userOf: ({ user }) => user,
  })
  requireScope(caller, ['read_api'])
  requireTerms(app, caller)
  return caller
}
