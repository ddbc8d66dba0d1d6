/**
 * Sends bytes: conditional and range requests, and headers that keep browsers from running the content. The entity tag of a file is its
 * blob id: strong. That of an archive is weak, since another git or compressor may produce other bytes for the same files; archives don't
 * support ranges. Git can't start in the middle of a blob, so bytes before a range are read and dropped.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { RawReply } from '../declare/endpoint.ts'
import { holdAnswer } from '../limits/held-bytes.ts'
import { hasAlready, type Part, partOf, rangeCounts } from '../reply/ranges.ts'

/** Smaller replies are held in memory and don't count as streams. */
const stream_bytes = 8 * 1024 * 1024

/**
 * Replies with the bytes, with a part of them, or with 304 if the client has them. The type is only looked up if it is sent, and the bytes
 * are only opened if they are sent. Bytes in memory are counted until the client has read them.
 * @param enter counts the request as a stream, or throws; called for replies that aren't small
 */
export async function sendBytes(
  app: App,
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
  if (!silent && (size === undefined || size >= stream_bytes)) await enter()
  const { type, ...headers } = await raw.describe()
  // Opened before the headers are sent, so that a failure up to here can still set the status.
  const body = silent
    ? nothing()
    : await opened(raw, part === 'whole' ? undefined : part, (bytes) => holdAnswer(app, request, reply, bytes))
  // Browsers must not run content of users: plain types, no sniffing, a sandbox.
  void reply.headers({ 'content-type': type, 'content-security-policy': "default-src 'none'; sandbox", ...known, ...headers })
  void reply.header('accept-ranges', size === undefined ? 'none' : 'bytes')
  const length = part === 'whole' ? size : part.end - part.start + 1
  if (length !== undefined) void reply.header('content-length', String(length))
  if (part !== 'whole') void reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`)
  return reply.send(body)
}

/** @param hold counts the bytes that are in memory, before they are read if their number is known */
async function opened({ held_bytes, open }: RawReply, part: Part | undefined, hold: (bytes: number) => void): Promise<Readable | Buffer> {
  if (held_bytes !== undefined) hold(held_bytes)
  const body = await open(part)
  if (Buffer.isBuffer(body) && held_bytes === undefined) hold(body.length)
  return body
}

/** Ranges are defined for GET only. */
function wantedPart({ method, headers }: FastifyRequest, etag: string | undefined, size: number): Part | 'whole' | 'none' {
  if (method !== 'GET' || !rangeCounts(headers['if-range'] as string | undefined, etag)) return 'whole'
  return partOf(headers.range, size)
}

/** The body of a reply to HEAD: a stream, since Fastify would set its own content-length for an empty text. */
export function nothing(): Readable {
  return Readable.from([])
}
