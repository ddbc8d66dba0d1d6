/** Everything a request sent besides its path, as one bag: query and body are merged, the body counts where both speak. */
import type { Readable } from 'node:stream'
import formbody from '@fastify/formbody'
import multipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { TProperties, TSchema } from 'typebox'
import { badParameter, Failure, tooLarge } from '../failure.ts'
import { openTempFile, type TempFile } from '../store/temp-file.ts'
import { empty, isObject, nest, type Parameters, parseQuery } from './parameters.ts'
import { isLargeFile } from './schema.ts'
import { LargeUpload, Upload } from './upload.ts'

/** JSON, forms and multipart forms. Real clients send an empty body as JSON with DELETE and POST: that says nothing, and is no error. */
export async function acceptBodies(server: FastifyInstance): Promise<void> {
  server.removeAllContentTypeParsers()
  await server.register(formbody, { parser: parseQuery as (text: string) => Record<string, unknown> })
  await server.register(multipart, { limits: { files: 10, fields: 1_000 } })
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_, text, done) => {
    try {
      done(null, text === '' ? empty() : JSON.parse(text as string, withoutPrototype))
    } catch {
      done(badParameter('message body does not match declared format'))
    }
  })
}

/** Which fields of a form are files that go to disk as they come, and the data folder they go to. */
export interface LargeFields {
  names: Set<string>
  home: string
  /** What they may have together, and where there are none, the form as a whole. */
  max_bytes: number
}

/** The fields of an endpoint that are large files. */
export function largeFieldsOf(properties: TProperties, home: string): Omit<LargeFields, 'max_bytes'> {
  return { names: new Set(Object.keys(properties).filter((name) => isLargeFile(properties[name] as TSchema))), home }
}

/**
 * Works with the parameters of a request, whatever form they came in. Its large files last as long as the work does, and are
 * gone after it however it ends.
 */
export async function withBody<T>(request: FastifyRequest, large: LargeFields, work: (sent: Parameters) => Promise<T>): Promise<T> {
  const files: TempFile[] = []
  try {
    return await work(await readBody(request, large, files))
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
}

async function readBody(request: FastifyRequest, large: LargeFields, files: TempFile[]): Promise<Parameters> {
  const query = request.query as Parameters
  const body = request.isMultipart() ? await readMultipart(request, large, files) : request.body
  if (body === undefined || body === null) return query
  if (!isObject(body)) throw badParameter('the body is not an object')
  return Object.assign(empty(), query, body)
}

/** What isn't a large file is held in memory, and counts there even where the endpoint takes large ones. */
const maxBesideLarge_bytes = 1024 * 1024

/** So many bytes may yet come, in memory and on disk. */
interface Room {
  memory_bytes: number
  disk_bytes: number
}

/** A form with files counts as a whole against the limit of its endpoint. */
async function readMultipart(request: FastifyRequest, large: LargeFields, files: TempFile[]): Promise<Parameters> {
  const { max_bytes } = large
  const room: Room = { memory_bytes: large.names.size > 0 ? maxBesideLarge_bytes : max_bytes, disk_bytes: max_bytes }
  const pairs: Array<[string, unknown]> = []
  try {
    for await (const part of request.parts({ limits: { fileSize: max_bytes, fieldSize: room.memory_bytes } })) {
      const value = part.type === 'field' ? readField(part, room) : await readFile(part, large, room, files)
      pairs.push([part.fieldname, value])
    }
  } catch (error) {
    if (error instanceof Failure || (error as FastifyError).statusCode !== undefined || isOurs(error)) throw error
    throw badParameter('message body does not match declared format')
  }
  return nest(pairs)
}

/** Not what was sent is wrong, but our disk: a full one is told as such. */
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
  const content = await openTempFile(large.home)
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

/** `__proto__` in a body is a key like any other to JSON, and like none to whoever copies it. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}
