/** An abort signal for clients that disconnect. */
import type { FastifyReply } from 'fastify'
import { clientGone } from '../../git/process/run.ts'

/** One signal per reply, however many commands use it. */
const signals = new WeakMap<FastifyReply, AbortSignal>()

/** Aborts when the client disconnects before it has the whole reply. */
export function abortSignalOf(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply)
  if (known) return known
  const controller = new AbortController()
  signals.set(reply, controller.signal)
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(clientGone())
  })
  if (reply.raw.closed) controller.abort(clientGone())
  return controller.signal
}
