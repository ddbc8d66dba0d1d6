/** Large answers and bodies that are held in memory: counted by address and in all until they are sent, or until their request is over. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { networkOf } from '../../limits/network.ts'

/** A smaller answer is sent at once, or takes no more memory than its connection. */
const largeAnswer_bytes = 128 * 1024
/** Smaller bodies are bounded by the number of connections. */
const largeBody_bytes = 1024 * 1024

/** Counts an answer until the client has read it. Throws as `WaitingBytes.take` does. */
export function holdAnswer(app: App, request: FastifyRequest, { raw }: FastifyReply, bytes: number): void {
  if (bytes > largeAnswer_bytes) hold(app, request, raw, bytes, () => raw.destroy())
}

/**
 * Counts a body until its request is over, before it is read. Throws as `WaitingBytes.take` does.
 * @param max_bytes what counts for a body that doesn't announce its length
 */
export function holdBody(app: App, request: FastifyRequest, { raw }: FastifyReply, max_bytes: number): void {
  const announced = Number(request.headers['content-length'])
  const bytes = announced <= max_bytes ? announced : max_bytes
  // A client that sent its whole body may have changed something, so it gets the reply.
  const end = () => void (request.raw.complete || request.raw.destroy())
  if (bytes > largeBody_bytes) hold(app, request, raw, bytes, end)
}

function hold({ limits }: App, { ip }: FastifyRequest, raw: FastifyReply['raw'], bytes: number, end: () => void): void {
  const release = limits.held.take(networkOf(ip), bytes, end)
  for (const event of ['finish', 'close'] as const) raw.once(event, release)
  if (raw.closed) release()
}
