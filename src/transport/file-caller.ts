/** Authenticates readers of files at URLs outside of the API: counts them, and checks their scope and acceptance of the terms. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { userOf } from '../access/principals.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { authenticate, requireScope, requireTerms } from '../http/caller/authenticate.ts'
import { throttled } from '../http/limits/throttle.ts'

/** The user; null for anonymous readers. Throws 401, 403, and 429 beyond a rate limit. */
export async function readerOfFile(app: App, request: FastifyRequest, reply: FastifyReply): Promise<User | null> {
  const caller = await throttled(app, {
    request,
    reply,
    on: 'web',
    authenticate: () => authenticate(app, request, { jobTokens: false }),
    userOf: ({ principal }) => userOf(principal),
  })
  requireScope(caller, ['read_api'])
  requireTerms(app, caller)
  return userOf(caller.principal)
}
