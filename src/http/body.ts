/** Everything a request sent besides its path, as one bag: query and body are merged, the body counts where both speak. */

import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badParameter } from '../failure.ts'
import { empty, isObject, nest, type Parameters, parseQuery } from './parameters.ts'

/** An uploaded file, held in memory: avatars and the like. */
export interface Upload {
  filename: string
  type: string
  bytes: Buffer
}

const mostFile_bytes = 10 * 1024 * 1024

/** JSON, forms and multipart forms. Real clients send an empty body as JSON with DELETE and POST: that says nothing, and is no error. */
export async function acceptBodies(server: FastifyInstance): Promise<void> {
  await server.register(formbody, { parser: parseQuery as (text: string) => Record<string, unknown> })
  await server.register(multipart, { limits: { fileSize: mostFile_bytes, files: 10, fields: 1_000, fieldSize: 1024 * 1024 } })
  server.removeContentTypeParser('application/json')
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

async function readMultipart(request: FastifyRequest): Promise<Parameters> {
  const pairs: Array<[string, unknown]> = []
  for await (const part of request.parts()) {
    if (part.type === 'field') pairs.push([part.fieldname, part.value])
    else pairs.push([part.fieldname, { filename: part.filename, type: part.mimetype, bytes: await part.toBuffer() } satisfies Upload])
  }
  return nest(pairs)
}

/** `__proto__` in a body is a key like any other to JSON, and like none to whoever copies it. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}
