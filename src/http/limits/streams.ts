/** Long replies and bodies: limited in number, with a timeout for inactive clients. */
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { takeStream } from '../../limits/streams.ts'
import { callerKey } from '../caller/callers.ts'
import { allowLongBody } from './slow-clients.ts'

interface Streaming {
  user: { id: number } | null
  /** A name under which requests without a user are counted together, such as that of a deploy token. */
  machine?: string | null
  direction?: 'download' | 'upload'
}

/**
 * Counts the request as a stream until its reply is sent or the client disconnects, and closes the connection of an inactive client. Throws
 * as `takeStream` does.
 */
export async function enterStream(
  { limits }: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, machine = null, direction = 'download' }: Streaming,
): Promise<void> {
  const release = await takeStream(limits, machine ?? callerKey(request, user), user || machine ? 'signed in' : 'anonymous')
  reply.raw.once('close', release)
  if (reply.raw.closed) release()
  if (direction === 'upload') allowLongBody(request.raw)
  endWhenSilent(request, reply, limits.silence_ms[direction])
}

/**
 * Closes the connection if the client neither reads nor sends the rest of its body for this long. While the server has nothing to send yet,
 * for example because git computes, there is no timeout. After the request, the server restores its own timeout.
 */
function endWhenSilent({ raw: request }: FastifyRequest, { raw: reply }: FastifyReply, silence_ms: number): void {
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
