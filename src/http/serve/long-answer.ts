/** Answers that are produced while they are sent: each piece once the client has read the one before. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { Release } from '../../limits/concurrency.ts'
import { networkOf } from '../../limits/network.ts'
import { callingUser } from '../caller/callers.ts'
import { enterStream } from '../limits/streams.ts'

export interface LongAnswer {
  status: number
  head: Record<string, string | number>
  /** Texts of about one portion each. */
  pieces: AsyncGenerator<string>
}

/**
 * Counts as a large download. Throws as `takeStream` and the limit of unread answers do, while nothing has been sent; a later failure
 * closes the connection, so that no client takes a partial answer for a complete one.
 */
export async function writeLong(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, head, pieces }: LongAnswer,
): Promise<void> {
  const { raw } = reply
  const address = networkOf(request.ip)
  // A portion as text, and one as rows.
  const held_bytes = 2 * app.limits.portion_bytes
  if (request.method === 'HEAD') {
    raw.writeHead(status, head)
    raw.end()
    return
  }
  await enterStream(app, request, reply, { user: callingUser(request) })
  const end = () => void raw.destroy()
  const releases: Release[] = [app.limits.held.take(address, held_bytes, end)]
  const release = () => releases.splice(0).forEach((one) => void one())
  raw.once('close', release)
  if (raw.closed) return release()
  void reply.hijack()
  raw.writeHead(status, head)
  try {
    for await (const piece of pieces) {
      const bytes = Buffer.byteLength(piece)
      const besides = bytes > held_bytes ? app.limits.held.take(address, bytes - held_bytes, end) : null
      if (besides) releases.push(besides)
      await taken(raw, piece)
      besides?.()
      // A fast reader of rows in memory would otherwise block the event loop for everyone else.
      await turn()
      if (raw.closed) return
    }
    raw.end()
  } catch (error) {
    request.log.error({ err: error }, 'answer of a list could not be completed')
    raw.destroy()
  }
}

/** Resolves when the client has taken what was written, or has left. */
async function taken(raw: ServerResponse, piece: string): Promise<void> {
  if (raw.closed || raw.write(piece)) return
  const settled = new AbortController()
  const { signal } = settled
  await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })]).finally(() => settled.abort())
}
