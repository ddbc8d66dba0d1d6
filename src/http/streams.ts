/** Answers and bodies that take long: a place for each while it lasts, and an end for clients that have fallen silent. */
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { takeStream } from '../limits/streams.ts'
import { callerKey } from './callers.ts'
import { allowLongBody } from './slow-clients.ts'

/**
 * Takes a place for the request until its answer has been sent or the client is gone, and ends the connection of a client that
 * falls silent. Throws as `takeStream` does.
 */
export async function enterStream(
  { limits }: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, direction = 'download' }: { user: { id: number } | null; direction?: 'download' | 'upload' },
): Promise<void> {
  const release = await takeStream(limits, callerKey(request, user), user ? 'signed in' : 'anonymous')
  reply.raw.once('close', release)
  if (reply.raw.closed) release()
  if (direction === 'upload') allowLongBody(request.raw)
  endWhenSilent(request, reply, limits.silence_ms[direction])
}

/**
 * Ends the connection of a client that doesn't read what waits for it, or doesn't send what it has announced, for so long. While
 * it is the server that has nothing to say yet, as git computes, nothing happens. The server sets the connection back to its own
 * limit when the request is done.
 */
export function endWhenSilent({ raw: request }: FastifyRequest, { raw: reply }: FastifyReply, silence_ms: number): void {
  const { socket } = request
  if (!(socket instanceof Socket)) return
  socket.setTimeout(silence_ms)
  reply.on('timeout', () => {
    const isUnread = reply.writableLength > 0
    const isUnsent = !request.complete && request.readableLength === 0
    if (isUnread || isUnsent) socket.destroy()
    else socket.setTimeout(silence_ms)
  })
}
