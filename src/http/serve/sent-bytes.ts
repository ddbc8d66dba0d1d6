/** Bodies of bytes, for endpoints that declare `bytes`: as a stream, or as a piece of something larger. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { invalid, tooLarge } from '../../failure.ts'
import { callingUser } from '../caller/callers.ts'
import type { Piece } from '../declare/context.ts'
import { holdBody } from '../limits/held-bytes.ts'
import { enterStream } from '../limits/streams.ts'

/** Larger bodies of bytes count as streams. */
const smallContent_bytes = 1024 * 1024

export async function contentOf(app: App, request: FastifyRequest, reply: FastifyReply, machine: string | null): Promise<Readable> {
  if (!(request.body instanceof Readable)) return Readable.from([])
  const length = Number(request.headers['content-length'])
  const user = callingUser(request)
  if (!(length <= smallContent_bytes)) await enterStream(app, request, reply, { user, machine, direction: 'upload' })
  const { held_bytes } = request.served?.endpoint.bytes ?? {}
  if (held_bytes !== undefined) holdBody(app, request, reply, held_bytes)
  return request.body
}

export async function pieceOf(app: App, request: FastifyRequest, reply: FastifyReply, machine: string | null): Promise<Piece> {
  const start = startOf(request.headers['content-range'])
  const max_bytes = request.served?.endpoint.bytes?.maxPiece_bytes ?? 0
  return { start, bytes: await readWhole(await contentOf(app, request, reply, machine), max_bytes) }
}

/**
 * Offset of a piece. The end that clients send is ignored: it follows from the number of bytes, and CI agents count it in different ways.
 */
export function startOf(range: string | undefined): number {
  if (range === undefined) throw invalid('400 Missing header Content-Range')
  const [, start] = /^(?:bytes )?(\d{1,15})(?:-\d*)?(?:\/(?:\d+|\*))?$/.exec(range.trim()) ?? []
  if (start === undefined) throw invalid('400 Malformed header Content-Range')
  return Number(start)
}

async function readWhole(content: AsyncIterable<Buffer>, max_bytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of content) {
    size += part.length
    if (size > max_bytes) throw tooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}
