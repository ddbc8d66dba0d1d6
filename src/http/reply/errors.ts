/** Error replies, and errors that are only logged (spec part 7). */
import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asStorageFailure } from '../../db/storage-failure.ts'
import { Failure, type FailureCode } from '../../failure.ts'
import { usualErrors } from './error-shapes.ts'

/** Messages for errors of the HTTP layer itself; all others get the text of the status. */
const messages: Record<number, string> = {
  413: '413 Request Entity Too Large',
  415: 'The provided content-type is not supported.',
}

/** When a client should retry, in seconds. */
const retryAfter_s: Partial<Record<FailureCode, number>> = {
  timed_out: 5,
  database_unavailable: 5,
  too_many: 60,
  too_many_at_once: 5,
  busy: 5,
}

/** Sets `Retry-After`, if it is known when to retry, and other headers that explain the failure. */
export function setRefusalHeaders({ code, retry_after_s, headers }: Failure, reply: FastifyReply): void {
  const wait_s = retry_after_s ?? retryAfter_s[code]
  if (wait_s !== undefined) void reply.header('retry-after', wait_s)
  if (headers) void reply.headers(headers)
}

export function answerErrors(server: FastifyInstance): void {
  server.setErrorHandler(answerError)
  server.setNotFoundHandler((_, reply) => reply.code(404).send({ error: '404 Not Found' }))
}

export function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = asStorageFailure(thrown) as FastifyError | Failure
  const shape = request.served?.endpoint.errors ?? usualErrors
  if (error instanceof Failure) {
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message)
    void reply.headers(shape.headersOf(error))
    setRefusalHeaders(error, reply)
    // The endpoint set a status other than 200 (`statuses` of its declaration).
    const status = reply.statusCode === 200 ? error.status : reply.statusCode
    // 304 has no body.
    void reply.code(status).send(status === 304 ? undefined : shape.bodyOf(error))
    return
  }
  const status = error.statusCode ?? 500
  if (status < 500) {
    void reply.code(status).send(shape.bodyOfStatus(status, messages[status] ?? `${status} ${STATUS_CODES[status]}`))
    return
  }
  request.log.error({ err: error }, 'unexpected failure')
  void reply.code(500).send(shape.bodyOfStatus(500, '500 Internal Server Error'))
}
