/** JSON bodies of the Git LFS API: reads them with limits, and writes replies and failures with its own media type. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asStorageFailure } from '../../db/storage-failure.ts'
import { Failure, type FailureCode } from '../../failure.ts'
import { setRefusalHeaders } from '../../http/reply/errors.ts'
import { inWords } from '../access/failure-text.ts'

const type = 'application/vnd.git-lfs+json'
const readable = /^application\/(?:vnd\.git-lfs\+)?json[ \t]*(?:;|$)/i
const accepted = /(?:^|[,\s])(?:application\/(?:vnd\.git-lfs\+json|json|\*)|\*\/\*)/i

/** Ten times what a thousand objects need. */
const maxBody_bytes = 1024 * 1024
/** For the whole body, so that sending it slowly gains nothing. */
const bodyDeadline_ms = 60_000

export type Fields = Record<string, unknown>

/** Throws 406 if the client doesn't accept the media type. */
export function requireAccepted({ headers }: FastifyRequest): void {
  if (headers.accept !== undefined && !accepted.test(headers.accept)) {
    throw new LfsFailure(406, `The answer is ${type}, and the Accept header must allow for it.`)
  }
}

/** The object in the body. Throws 413 if it is too large, 415 for another type, 422 if it isn't a JSON object. */
export async function readFields(request: FastifyRequest): Promise<Fields> {
  if (!readable.test(request.headers['content-type'] ?? '')) throw new Failure('unsupported', `The body must be ${type}.`)
  const text = await readText((request.body ?? request.raw) as Readable)
  const parsed = parse(text)
  if (!isFields(parsed)) throw invalid('The body must be an object in JSON.')
  return parsed
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const late = setTimeout(() => body.destroy(new LfsFailure(408, 'The body took too long to arrive.')), bodyDeadline_ms)
  try {
    for await (const chunk of body) {
      size += (chunk as Buffer).length
      if (size > maxBody_bytes) throw tooMuch(`The body has more than ${maxBody_bytes} bytes.`)
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    throw (error as { code?: string }).code === 'ECONNRESET' ? invalid('The request did not arrive whole.') : error
  } finally {
    clearTimeout(late)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw invalid('The body is not encoded as UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function send(reply: FastifyReply, body: Fields, status = 200): FastifyReply {
  // Sent as bytes: to text the framework would add a charset that not every client of this type accepts.
  return reply
    .code(status)
    .headers({ 'content-type': type, 'cache-control': 'no-store' })
    .send(Buffer.from(JSON.stringify(body)))
}

/** A failure with a status that only this API has. */
export class LfsFailure extends Error {
  override readonly name = 'LfsFailure'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function invalid(message: string): Failure {
  return new Failure('invalid', message)
}

export function tooMuch(message: string): Failure {
  return new Failure('too_large', message)
}

/** Statuses that differ from those of the rest of the API. */
const statuses: Partial<Record<FailureCode, number>> = { invalid: 422, storage_full: 507 }

/** Replies with an error in the form that a Git LFS client shows to its user. */
export function answerInLfs(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = asStorageFailure(thrown)
  const status = statusFor(error)
  if (status >= 500) request.log.error({ err: (error as Error).cause ?? error }, 'Git LFS: request failed')
  if (status === 401) void reply.headers({ 'www-authenticate': realm, 'lfs-authenticate': realm })
  if (error instanceof Failure) setRefusalHeaders(error, reply)
  void send(reply, { message: wordsFor(error, status), request_id: request.id }, status)
}

const realm = 'Basic realm="Gitstead", charset="UTF-8"'

function statusFor(error: unknown): number {
  if (error instanceof Failure) return statuses[error.code] ?? error.status
  if (error instanceof LfsFailure) return error.status
  // Errors of the framework have a status.
  const { statusCode = 500 } = error as { statusCode?: number }
  return statusCode
}

function wordsFor(error: unknown, status: number): string {
  if (error instanceof Failure) return inWords(error)
  if (error instanceof LfsFailure) return error.message
  return status < 500 ? 'The request could not be understood.' : 'Something went wrong on the server.'
}
