/** Parses the parameters in the body of a request, in any supported format. */
import type { Readable } from 'node:stream'
import formbody from '@fastify/formbody'
import multipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { TProperties, TSchema } from 'typebox'
import { badParameter, Failure, tooLarge, unsupportedType } from '../../failure.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { TempFile } from '../../store/temp-file.ts'
import { hasAtMostValues } from '../../text/json-scan.ts'
import { hasBody } from '../limits/slow-clients.ts'
import { empty, isObject, nest, type Parameters, parseQuery } from '../parameters/parameters.ts'
import { isLargeFile } from '../parameters/schema.ts'
import { isOfApi } from '../parameters/target.ts'
import { LargeUpload, Upload } from '../parameters/upload.ts'

/** More would take seconds to parse, and a gigabyte of memory. */
const maxValues = 600_000

/** Accepts JSON, forms and multipart forms. Clients do send empty bodies of any type with DELETE and POST, which is not an error. */
export async function acceptBodies(server: FastifyInstance): Promise<void> {
  server.removeAllContentTypeParsers()
  await server.register(formbody, { parser: parseQuery as (text: string) => Record<string, unknown> })
  await server.register(multipart, { limits: { files: 10, fields: 1_000 } })
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_, text, done) => {
    try {
      if (!hasAtMostValues(text as string, maxValues)) return done(badParameter(`message body has more than ${maxValues} values`))
      done(null, text === '' ? empty() : JSON.parse(text as string, withoutPrototype))
    } catch {
      done(badParameter('message body does not match declared format'))
    }
  })
  server.addHook('onRequest', ({ raw }, _, done) => {
    // Fastify would check the type first.
    if (raw.headers['content-type'] !== undefined && !hasBody(raw) && isOfApi(raw.url)) delete raw.headers['content-type']
    done()
  })
  server.addContentTypeParser(bytesType, (request, body, done) => {
    if (request.served?.endpoint.bytes) return done(null, body)
    readNothing(body, done)
  })
  server.addContentTypeParser('*', (_, body, done) => readNothing(body, done))
}

/** The type under which bodies of endpoints for bytes are handled. */
export const bytesType = 'application/octet-stream'

/** No body is fine; any other body of an unknown type is an error. */
function readNothing(body: Readable, done: (error: Error | null, body?: unknown) => void): void {
  body.once('end', () => done(null, empty()))
  body.once('data', () => {
    body.pause()
    done(unsupportedType())
  })
}

/** The fields of a form that are streamed to disk, and how a file for one is opened. */
export interface LargeFields {
  names: Set<string>
  open: () => Promise<TempFile>
  /** Maximum total size of these; if there are none, of the whole form. */
  max_bytes: number
  /** Called with each part of a multipart form in order, before the parts after it are read: its text, or null for a file. May throw. */
  inspect?: (name: string, text: string | null) => void
}

/** Whether a form for these parameters is streamed to disk. */
export function hasLargeFiles(properties: TProperties): boolean {
  return Object.values(properties).some(isLargeFile)
}

/** The fields of an endpoint that are large files. */
export function largeFieldsOf(properties: TProperties, { openDraft }: ObjectStore): Pick<LargeFields, 'names' | 'open'> {
  return { names: new Set(Object.keys(properties).filter((name) => isLargeFile(properties[name] as TSchema))), open: openDraft }
}

/** Calls `work` with the parameters in the body of a request. Its large files are deleted after the work, whether or not it fails. */
export async function withBody<T>(request: FastifyRequest, large: LargeFields, work: (sent: Parameters) => Promise<T>): Promise<T> {
  const files: TempFile[] = []
  try {
    return await work(await readBody(request, large, files))
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
}

async function readBody(request: FastifyRequest, large: LargeFields, files: TempFile[]): Promise<Parameters> {
  const body = request.isMultipart() ? await readMultipart(request, large, files) : request.body
  if (body === undefined || body === null) return empty()
  if (!isObject(body)) throw badParameter('the body is not an object')
  return body
}

/** Maximum of everything that is held in memory, in forms with large files. */
const maxBesideLarge_bytes = 1024 * 1024

/** Bytes left within the limits, in memory and on disk. */
interface Room {
  memory_bytes: number
  disk_bytes: number
}

/** The limit of the endpoint applies to the whole form. */
async function readMultipart(request: FastifyRequest, large: LargeFields, files: TempFile[]): Promise<Parameters> {
  const { max_bytes } = large
  const room: Room = { memory_bytes: large.names.size > 0 ? maxBesideLarge_bytes : max_bytes, disk_bytes: max_bytes }
  const pairs: Array<[string, unknown]> = []
  try {
    for await (const part of request.parts({ limits: { fileSize: max_bytes, fieldSize: room.memory_bytes } })) {
      large.inspect?.(part.fieldname, part.type === 'field' ? String(part.value) : null)
      const value = part.type === 'field' ? readField(part, room) : await readFile(part, large, room, files)
      pairs.push([part.fieldname, value])
    }
  } catch (error) {
    if (error instanceof Failure || (error as FastifyError).statusCode !== undefined || isOurs(error)) throw error
    throw badParameter('message body does not match declared format')
  }
  return nest(pairs)
}

/** Whether our disk caused the failure, rather than the request. */
function isOurs(error: unknown): boolean {
  const { syscall, code } = error as NodeJS.ErrnoException
  return syscall !== undefined && code !== 'ECONNRESET' && code !== 'EPIPE'
}

function readField({ value, valueTruncated }: MultipartValue, room: Room): unknown {
  room.memory_bytes -= Buffer.byteLength(String(value))
  if (room.memory_bytes < 0 || valueTruncated) throw tooLarge()
  return value
}

async function readFile(part: MultipartFile, large: LargeFields, room: Room, files: TempFile[]): Promise<LargeUpload | Upload> {
  const { file, filename, mimetype } = part
  if (!large.names.has(part.fieldname)) {
    const bytes = await readWhole(file, room.memory_bytes)
    room.memory_bytes -= bytes.length
    return new Upload(filename, mimetype, bytes)
  }
  const content = await large.open()
  files.push(content)
  for await (const chunk of file as AsyncIterable<Buffer>) {
    room.disk_bytes -= chunk.length
    if (room.disk_bytes < 0) throw tooLarge()
    await content.append(chunk)
  }
  if (file.truncated) throw tooLarge()
  return new LargeUpload(filename, content)
}

async function readWhole(source: Readable & { truncated: boolean }, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > max_bytes) throw tooLarge()
    chunks.push(chunk)
  }
  if (source.truncated) throw tooLarge()
  return Buffer.concat(chunks, size)
}

/** JSON parses `__proto__` as a plain key, but copying it would set the prototype, so it is dropped. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}
