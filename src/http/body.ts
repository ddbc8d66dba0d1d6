/** Everything a request sent besides its path, as one bag: query and body are merged, the body counts where both speak. */
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { badParameter, Failure, tooLarge } from '../failure.ts'
import { empty, isObject, nest, type Parameters, parseQuery } from './parameters.ts'
import { Upload } from './upload.ts'

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

/** The parameters of a request, whatever form they came in. */
export async function readBody(request: FastifyRequest): Promise<Parameters> {
  const query = request.query as Parameters
  const body = request.isMultipart() ? await readMultipart(request) : request.body
  if (body === undefined || body === null) return query
  if (!isObject(body)) throw badParameter('the body is not an object')
  return Object.assign(empty(), query, body)
}

/** A form with files counts as a whole against the limit of its endpoint: all of it is held in memory. */
async function readMultipart(request: FastifyRequest): Promise<Parameters> {
  const most_bytes = request.routeOptions.bodyLimit as number
  const pairs: Array<[string, unknown]> = []
  let size_bytes = 0
  try {
    for await (const part of request.parts({ limits: { fileSize: most_bytes, fieldSize: most_bytes } })) {
      const bytes = part.type === 'file' ? await part.toBuffer() : Buffer.from(String(part.value))
      size_bytes += bytes.length
      if (size_bytes > most_bytes || (part.type === 'field' && part.valueTruncated)) throw tooLarge()
      const value = part.type === 'field' ? part.value : new Upload(part.filename, part.mimetype, bytes)
      pairs.push([part.fieldname, value])
    }
  } catch (error) {
    if (error instanceof Failure || (error as FastifyError).statusCode !== undefined) throw error
    throw badParameter('message body does not match declared format')
  }
  return nest(pairs)
}

/** `__proto__` in a body is a key like any other to JSON, and like none to whoever copies it. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}
