/** Knowing that a client has gone away. */
import type { FastifyReply } from 'fastify'
import { clientGone } from '../git/process/run.ts'

/** Aborts when the client goes away before it has everything. */
export function abortSignalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(clientGone())
  })
  if (reply.raw.closed) gone.abort(clientGone())
  return gone.signal
}
