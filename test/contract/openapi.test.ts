/** The OpenAPI document describes every endpoint correctly. */
import { beforeAll, expect, test } from 'vitest'
import { defaultStatus, type FailureCode } from '../../src/failure.ts'
import { endpoints } from '../../src/features/index.ts'
import { sections } from '../../src/features/sections.ts'
import type { Endpoint } from '../../src/http/declare/endpoint.ts'
import { everywhere, refusalsOf } from '../../src/http/declare/statuses.ts'
import { validator } from '../../src/http/parameters/validate.ts'
import { testForge } from '../support/forge.ts'

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: JsonSchema
}

interface Operation {
  summary: string
  description: string
  operationId: string
  tags: string[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: JsonSchema }>; headers?: object }>
  security: Array<Record<string, string[]>>
}

interface Document {
  openapi: string
  info: { title: string; version: string }
  servers: Array<{ url: string }>
  paths: Record<string, Record<string, Operation>>
  tags: Array<{ name: string }>
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, object>; securitySchemes: object }
}

let document: Document

beforeAll(async () => {
  const forge = await testForge()
  const answer = await forge.anonymous.get('/openapi.json')
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
  document = answer.body
})

const pathOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')
const operationOf = (method: string, path: string) => document.paths[pathOf(path)]?.[method.toLowerCase()] as Operation
const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })))

test('every endpoint is in a section that the table of contents has a place for, and every section has endpoints', () => {
  expect([...new Set(endpoints.map(({ tag }) => tag))]).toEqual(sections)
})

test('every endpoint is described once, and nothing else', () => {
  const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`)
  expect(described.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${pathOf(path)}`).sort())
})

test('no two operations share an id', () => {
  const ids = operations().map(({ operation }) => operation.operationId)
  const unclear = ids.filter((id, index) => ids.indexOf(id) !== index || !/^[a-z][A-Za-z0-9]+$/.test(id))
  expect(unclear, 'give its endpoint an `operationId` of its own').toEqual([])
})

test('an endpoint declares no failure that follows from the rest of its declaration', () => {
  const repeated = endpoints.flatMap(({ fails, statuses, ...rest }) => {
    const derived = refusalsOf({ ...rest, fails: [], statuses: {} } as Endpoint)
    const flaws = fails.filter(
      (code) => (derived.has(defaultStatus(code)) && statuses[code] === undefined) || everywhere.has(defaultStatus(code)),
    )
    const same = Object.entries(statuses).filter(([code, status]) => defaultStatus(code as FailureCode) === status)
    return [...flaws, ...same.map(([code]) => code)].map((code) => `${rest.method} ${rest.path} ${code}`)
  })
  expect(repeated, 'take it out of `fails` or `statuses` of the endpoint').toEqual([])
})

test('every parameter of a path is described as required, and no other stands in the path', () => {
  const wrong = operations().flatMap(({ path, operation }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const described = operation.parameters.filter((parameter) => parameter.in === 'path' && parameter.required)
    return described.map(({ name }) => name).join() === inPath.join() ? [] : [operation.operationId]
  })
  expect(wrong).toEqual([])
})

test('a parameter is called required exactly when a request without it is refused', () => {
  const wrong: unknown[] = []
  for (const { method, path, query, body } of endpoints) {
    const { parameters, requestBody } = operationOf(method, path)
    const inQuery = parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name }) => name.replace('[]', ''))
    const inBody = Object.values(requestBody?.content ?? {})[0]?.schema.required ?? []
    for (const [kind, said, properties] of [['query', inQuery, query] as const, ['body', inBody, body] as const]) {
      const missing = fieldErrorsOf(() => validator(properties)({}))
      if (missing !== said.map((name) => `${name} is missing`).join(', ')) wrong.push([method, path, kind, said, missing])
    }
    if (requestBody && requestBody.required !== inBody.length > 0) wrong.push([method, path, 'requestBody.required'])
  }
  expect(wrong).toEqual([])
})

function fieldErrorsOf(validate: () => unknown): string {
  try {
    validate()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('every operation has the parts that OpenAPI 3.1 asks for', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toMatchObject({ title: 'Gitstead', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  expect(document.servers).toEqual([{ url: 'http://gitstead.test/api/v4' }])
  const schemes = Object.keys(document.components.securitySchemes)
  const successesOf = new Map(
    endpoints.map(({ outcomes, status, method, path }) => [
      `${method.toLowerCase()} ${pathOf(path)}`,
      new Set([status, ...Object.keys(outcomes).map(Number)]).size,
    ]),
  )
  const wrong: unknown[] = []
  for (const { path, method, operation } of operations()) {
    const { summary, description, tags, parameters, responses, security } = operation
    const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
    const statuses = Object.keys(responses)
    const successes = statuses.filter((status) => /^(?:2..|302)$/.test(status))
    const parts = {
      words: summary !== '' && description !== '' && tags.length > 0,
      parameters: new Set(keys).size === keys.length,
      statuses: statuses.every((status) => /^[2-5]\d\d$/.test(status)) && ['401', '403'].every((status) => statuses.includes(status)),
      success: successes.length === (successesOf.get(`${method} ${path}`) ?? 1),
      descriptions: Object.values(responses).every((response) => '$ref' in response || response.description !== ''),
      security: security.flatMap(Object.keys).every((name) => schemes.includes(name)),
    }
    const flaws = Object.entries(parts).flatMap(([part, right]) => (right ? [] : [part]))
    if (flaws.length > 0) wrong.push([method, path, flaws])
  }
  expect(wrong).toEqual([])
})

test('every schema in it is a JSON schema', () => {
  const wrong: unknown[] = []
  for (const { path, method, operation } of operations()) {
    const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) => Object.values(one?.content ?? {}))
    const schemas = [...operation.parameters, ...contents].flatMap(({ schema }) => (schema ? [schema] : []))
    const flaws = schemas.flatMap((schema) => flawsOf(schema))
    if (flaws.length > 0) wrong.push([method, path, flaws])
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const flaws = flawsOf(schema)
    if (flaws.length > 0) wrong.push([name, flaws])
  }
  expect(wrong).toEqual([])
})

test('what is given has a name of its own, under which it stands once', () => {
  const unnamed = endpoints.filter(({ method, path, kind, reply, status }) => {
    if (kind === 'stream' || status === 204 || !reply) return false
    const { schema } = operationOf(method, path).responses[status]?.content?.['application/json'] ?? {}
    const shown = schema?.type === 'array' ? schema.items : schema
    return shown?.type === 'object' && 'properties' in shown
  })
  const lacking = unnamed.map(({ method, path }) => `${method} ${path}`)
  expect(lacking, 'make its reply a `resource(name, …)`').toEqual([])
  const names = Object.keys(document.components.schemas)
  expect(names).toEqual(expect.arrayContaining(['Project', 'Branch', 'Commit', 'UserBrief', 'Member']))
  expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([])
})

test('every operation stands in a section that is listed', () => {
  const listed = document.tags.map(({ name }) => name)
  const astray = operations().filter(({ operation }) => operation.tags.some((tag) => !listed.includes(tag)))
  expect(astray.map(({ operation }) => operation.operationId)).toEqual([])
  expect(listed).not.toContain('')
})

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']

interface JsonSchema {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  required?: string[]
  enum?: unknown[]
  $ref?: string
}

/** Checks a schema against the rules of JSON Schema 2020-12 for the keywords that are used here. */
function flawsOf(schema: JsonSchema, at = ''): string[] {
  const { type, properties = {}, items, required = [], enum: values, ...rest } = schema
  const own: string[] = []
  if (schema.$ref !== undefined)
    return schema.$ref.replace('#/components/schemas/', '') in document.components.schemas ? [] : [`${at}: ${schema.$ref}`]
  if (![type].flat().every((one) => types.includes(one ?? '')) && !('anyOf' in rest)) own.push(`${at}: type ${JSON.stringify(type)}`)
  if (values && (values.length === 0 || new Set(values).size !== values.length)) own.push(`${at}: enum`)
  if (!required.every((name) => name in properties)) own.push(`${at}: required ${required}`)
  if (type === 'array' && !items) own.push(`${at}: an array of nothing`)
  if (Object.keys(rest).some((key) => key.startsWith('~'))) own.push(`${at}: a mark of the schema library`)
  const inner = Object.entries({ ...properties, ...(items && { '[]': items }) })
  return [...own, ...inner.flatMap(([name, child]) => flawsOf(child, `${at}/${name}`))]
}

test('lists describe their pages, and endpoints that need no token are marked', () => {
  const wrong: unknown[] = []
  for (const { kind, method, path, access, changesNothing } of endpoints) {
    const { parameters, responses, security } = operationOf(method, path)
    const paged = parameters.some(({ name }) => name === 'per_page') && 'X-Total' in (responses['200']?.headers ?? {})
    const open = security.some((one) => Object.keys(one).length === 0)
    if (
      paged !== (kind === 'list') ||
      open !== (access.anonymous && (method === 'GET' || changesNothing || access.own_credential !== undefined))
    )
      wrong.push([method, path])
  }
  expect(wrong).toEqual([])
})

test('people read the same document at /api/docs', async () => {
  const forge = await testForge()
  const page = await forge.anonymous.get('//api/docs/')
  const raw = await forge.anonymous.get('//api/docs/json')
  expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
  expect(raw.body.paths).toEqual(document.paths)
})
