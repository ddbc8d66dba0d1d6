/** The OpenAPI 3.1 document, generated entirely from the declarations. */
import type { TSchema } from 'typebox'
import { isFile } from '../parameters/schema.ts'
import { type ErrorShape, usualErrors } from '../reply/error-shapes.ts'
import { keysetParameters } from '../reply/keyset.ts'
import { pageParameters } from '../reply/page.ts'
import type { BytesBody } from './context.ts'
import { apiRoot, type Endpoint } from './endpoint.ts'
import { operationIdOf } from './operation-ids.ts'
import { everywhere, refusalsOf } from './statuses.ts'

interface Operation {
  summary: string
  description: string
  tags: string[]
  operationId: string
  parameters: object[]
  requestBody?: object
  responses: Record<string, object>
  security: object[]
  /** The server, if it differs from that of the other operations. */
  servers?: object[]
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: object
  servers: object[]
  tags: object[]
  paths: Record<string, Record<string, Operation>>
  components: object
}

export function openApiDocument(endpoints: Endpoint[], url: string, version: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  const resources: Resources = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const operation = nameResources(describe(endpoint, url), resources) as Operation
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gitstead',
      version,
      description: 'Git repositories as projects, and everything around them. Lists are paginated; their headers link to the other pages.',
    },
    servers: [{ url: url + apiRoot }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      responses: nameResources(
        Object.fromEntries([...everywhere].map(([status, reason]) => [`Status${status}`, refusal(reason)])),
        resources,
      ) as object,
      schemas: resources,
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Private-Token', description: 'A personal access token' },
        bearer: { type: 'http', scheme: 'bearer' },
        job: { type: 'apiKey', in: 'header', name: 'Job-Token', description: 'The token of a running job' },
      },
    },
  }
}

type Resources = Record<string, unknown>

/**
 * Replaces each named schema (`resource` in schema.ts) by a reference, and adds the schema to `resources`. Throws if two schemas have the
 * same name.
 */
function nameResources(node: unknown, resources: Resources): unknown {
  if (Array.isArray(node)) return node.map((item) => nameResources(item, resources))
  if (typeof node !== 'object' || node === null) return node
  const named = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, nameResources(value, resources)]))
  const { title, type } = named
  if (typeof title !== 'string' || !('properties' in named)) return named
  const schema = { ...named, type: 'object' }
  const known = resources[title]
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${title}`)
  resources[title] = schema
  const reference = { $ref: `#/components/schemas/${title}` }
  return Array.isArray(type) ? { anyOf: [reference, { type: 'null' }] } : reference
}

function describe(endpoint: Endpoint, url: string): Operation {
  const { path, summary, access, query, body, kind } = endpoint
  const params = { ...access.params, ...endpoint.params }
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  const inQuery = { ...query, ...(kind === 'list' && pageParameters), ...(endpoint.keyset && keysetParameters) }
  return {
    summary,
    description: endpoint.longestWait_ms === null ? access.description : `${access.description} ${waitsFor(endpoint.longestWait_ms)}`,
    tags: [endpoint.tag],
    operationId: endpoint.operationId ?? operationIdOf(endpoint),
    parameters: [
      ...names.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: params[name] ?? { type: 'string' },
        ...(name === 'id' && !params.id && { description: 'Number, or full path with / as %2F' }),
      })),
      ...Object.entries(inQuery).map(([name, schema]) => ({
        name: sentAs(name, schema),
        in: 'query',
        required: isRequired(schema),
        schema: withReservation(endpoint, name, schema),
      })),
      ...(endpoint.bytes?.maxPiece_bytes ? [contentRange] : []),
    ],
    ...(endpoint.bytes ? { requestBody: bytesBodyOf(endpoint.bytes) } : Object.keys(body).length > 0 && { requestBody: bodyOf(endpoint) }),
    responses: responsesOf(endpoint),
    ...(endpoint.root !== apiRoot && { servers: [{ url: url + endpoint.root }] }),
    security: securityOf(endpoint),
  }
}

function securityOf({ method, access, changesNothing, jobTokens }: Endpoint): object[] {
  const isOpen = access.anonymous && (method === 'GET' || changesNothing || access.own_credential)
  return [...(isOpen ? [{}] : []), { token: [] }, { bearer: [] }, ...(jobTokens ? [{ job: [] }] : [])]
}

/** The schema of a parameter; its description also says who may send it, if that is restricted. */
function withReservation({ reserved }: Endpoint, name: string, schema: object): object {
  const conditions = reserved[name]
  if (!conditions) return schema
  const reservation = `Only for ${conditions.map(({ description }) => description).join(', or ')}`
  const { description } = schema as { description?: string }
  return { ...schema, description: description ? `${description}. ${reservation}` : reservation }
}

function bodyOf(endpoint: Endpoint): object {
  const { body } = endpoint
  const required = Object.keys(body).filter((name) => isRequired(body[name] as TSchema))
  const described = Object.fromEntries(
    Object.entries(body).map(([name, property]) => [
      name,
      withReservation(endpoint, name, isFile(property) ? bytesOf(property) : property),
    ]),
  )
  const schema = { type: 'object', properties: described, ...(required.length > 0 && { required }) }
  const types = Object.values(body).some(isFile) ? ['multipart/form-data'] : ['application/json', 'application/x-www-form-urlencoded']
  return { required: required.length > 0, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

const contentRange = {
  name: 'Content-Range',
  in: 'header',
  required: true,
  description: 'Where the piece begins in the whole, counted from 0, and its last byte: `0-99`',
  schema: { type: 'string' },
}

function bytesBodyOf({ type = 'application/octet-stream', description }: BytesBody): object {
  // A body may be empty.
  return { description, required: false, content: { [type]: { schema: { type: 'string', contentMediaType: type } } } }
}

function waitsFor(longest_ms: number): string {
  return `Waits up to ${longest_ms / 1000} seconds for news.`
}

/** The OpenAPI schema of a file in a form. */
function bytesOf({ description }: TSchema & { description?: string }): object {
  return { type: 'string', contentMediaType: 'application/octet-stream', ...(description && { description }) }
}

/** `Type.Optional` sets a mark that JSON doesn't show. A parameter with a default is optional, too. */
function isRequired(schema: TSchema): boolean {
  return !('~optional' in schema) && !('default' in schema)
}

function responsesOf(endpoint: Endpoint): Record<string, object> {
  const responses: Record<string, object> = { [endpoint.status]: success(endpoint) }
  for (const [status, description] of Object.entries(endpoint.outcomes))
    responses[status] = { ...(status !== '204' && success(endpoint)), ...headersOf(endpoint.replyHeaders), description }
  for (const [status, reason] of refusalsOf(endpoint))
    responses[status] = status === 304 ? { description: reason } : refusal(reason, endpoint.errors)
  for (const [status, reason] of everywhere)
    responses[status] =
      endpoint.errors === usualErrors ? { $ref: `#/components/responses/Status${status}` } : refusal(reason, endpoint.errors)
  return responses
}

function refusal(description: string, { schema }: ErrorShape = usualErrors): object {
  return { description, content: { 'application/json': { schema } } }
}

/** The headers of a response, with their descriptions. */
function headersOf(described: Record<string, string>): { headers?: object } {
  const headers = Object.entries(described).map(([name, description]) => [name, { description, schema: { type: 'string' } }])
  return headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}
}

function success({ kind, reply, status, replyHeaders }: Endpoint): object {
  if (kind === 'stream') return { description: 'The content', content: { 'application/octet-stream': {} } }
  if (status === 204 || !reply) return { description: 'Done, without a body', ...headersOf(replyHeaders) }
  const schema = kind === 'list' ? { type: 'array', items: reply } : reply
  const headers = Object.fromEntries(
    ['X-Total', 'X-Total-Pages', 'X-Per-Page', 'X-Page', 'X-Next-Page', 'X-Prev-Page', 'Link'].map((name) => [
      name,
      { schema: { type: 'string' } },
    ]),
  )
  return {
    description: kind === 'list' ? 'A page of the list' : 'Done',
    ...(kind === 'list' ? { headers } : headersOf(replyHeaders)),
    content: { 'application/json': { schema } },
  }
}

/** An array is sent as `name[]=a&name[]=b`. */
function sentAs(name: string, schema: TSchema): string {
  return (schema as { type?: string }).type === 'array' ? `${name}[]` : name
}
