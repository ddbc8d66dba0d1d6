/** What a caller is told when something goes wrong, and what is only logged (spec part 7). */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asStorageFailure } from '../db/database.ts'
import { Failure } from '../failure.ts'

/** Refusals of the HTTP layer itself, in the words of this API. */
const byCode: Record<string, [status: number, body: Record<string, unknown>]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, { error: '413 Request Entity Too Large' }],
  FST_REQ_FILE_TOO_LARGE: [413, { error: '413 Request Entity Too Large' }],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, { error: 'The provided content-type is not supported.' }],
  FST_ERR_BAD_URL: [400, { error: '400 Bad Request' }],
  FST_ERR_MAX_PARAM_LENGTH: [404, { message: '404 Not Found' }],
}

export function answerErrors(server: FastifyInstance): void {
  server.setErrorHandler(answerError)
  server.setNotFoundHandler((_, reply) => reply.code(404).send({ error: '404 Not Found' }))
}

export function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = asStorageFailure(thrown) as FastifyError | Failure
  if (error instanceof Failure) {
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message)
    // A status other than 200 was set by the endpoint: its own word for this failure.
    void reply.code(reply.statusCode === 200 ? error.status : reply.statusCode).send(error.body)
    return
  }
  const known = byCode[error.code ?? '']
  if (known) {
    void reply.code(known[0]).send(known[1])
    return
  }
  const status = error.statusCode ?? 500
  if (status < 500) {
    void reply.code(status).send({ error: `${status} Bad Request` })
    return
  }
  request.log.error({ err: error }, 'unexpected failure')
  void reply.code(500).send({ message: '500 Internal Server Error' })
}
