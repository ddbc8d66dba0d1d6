/** An abort signal for clients that disconnect. */
import type { FastifyReply } from 'fastify'
import { clientGone } from '../../git/process/run.ts'

/** Aborts when the client disconnects before it has the whole reply. */
export function abortSignalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(clientGone())
  })
  if (reply.raw.closed) controller.abort(clientGone())
  return controller.signal
}
