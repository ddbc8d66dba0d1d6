/** Bytes on the wire: conditions, ranges, and the headers that keep a browser from running them. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RawReply } from './endpoint.ts'
import { hasAlready, type Part, partOf, rangeCounts } from './ranges.ts'

/** What is smaller is held in memory, and sent at once. */
const long_bytes = 8 * 1024 * 1024

/**
 * Answers with the bytes, with a part of them, or with 304 when the client has them. What the bytes are is looked up
 * only where it is told, and they are opened only where they are sent.
 * @param enter takes a place among what lasts long, or throws; called for what isn't small
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  raw: RawReply,
  enter: () => Promise<void>,
): Promise<FastifyReply> {
  const { etag, size } = raw
  const known = etag === undefined ? {} : { etag, 'cache-control': 'private, no-cache' }
  const silent = request.method === 'HEAD'
  if (etag !== undefined && hasAlready(request.headers['if-none-match'], etag)) {
    return reply
      .code(304)
      .headers(known)
      .send(silent ? nothing() : undefined)
  }
  const part = size === undefined ? 'whole' : wantedPart(request, etag, size)
  if (part === 'none') {
    return reply.code(416).header('content-range', `bytes */${size}`).send({ error: '416 Range Not Satisfiable' })
  }
  if (!silent && (size === undefined || size >= long_bytes)) await enter()
  const { type, ...headers } = await raw.describe()
  // Opened before a word is said: what fails by then has a status and headers of its own.
  const body = silent ? nothing() : await raw.open(part === 'whole' ? undefined : part)
  // Bytes of users are never run by a browser: plain types, no sniffing, a sandbox.
  void reply.headers({ 'content-type': type, 'content-security-policy': "default-src 'none'; sandbox", ...known, ...headers })
  void reply.header('accept-ranges', size === undefined ? 'none' : 'bytes')
  const length = part === 'whole' ? size : part.end - part.start + 1
  if (length !== undefined) void reply.header('content-length', String(length))
  if (part !== 'whole') void reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`)
  return reply.send(body)
}

/** Ranges are defined for GET alone: HEAD tells of the whole. */
function wantedPart({ method, headers }: FastifyRequest, etag: string | undefined, size: number): Part | 'whole' | 'none' {
  if (method !== 'GET' || !rangeCounts(headers['if-range'] as string | undefined, etag)) return 'whole'
  return partOf(headers.range, size)
}

/** The body of an answer to HEAD. Of an empty text the length would be counted, and told instead of that of the whole. */
export function nothing(): Readable {
  return Readable.from([])
}
