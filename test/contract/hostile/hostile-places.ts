/** Places in requests where text could mislead git or the database, each with a request that would otherwise succeed. */
import type { TSchema } from 'typebox'
import { type ContractFixtures, requiredOf, type Served, served } from '../world/fixtures.ts'

/** A place for text in a request. */
export interface Place {
  one: Served
  name: string
  where: 'path' | 'query' | 'body' | 'action'
}

function isText(schema: TSchema): boolean {
  const { type, enum: values, format, items } = schema as { type?: string; enum?: unknown; format?: string; items?: TSchema }
  return (type === 'string' && !values && !format) || (type === 'array' && items !== undefined && isText(items))
}

const placesOf = (one: Served): Place[] => {
  const { path, endpoint } = one
  const texts = (properties: Record<string, TSchema>) => Object.keys(properties).filter((name) => isText(properties[name] as TSchema))
  const action = (endpoint.body.actions as { items?: { properties?: Record<string, TSchema> } } | undefined)?.items?.properties ?? {}
  // `fuzz.test.ts` tests parameters that must be numbers.
  const isNumber = (name: string) =>
    /^(id|user_id)$/.test(name) || (endpoint.params[name] as { type?: string } | undefined)?.type === 'integer'
  const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string).filter((name) => !isNumber(name))
  return [
    ...inPath.map((name): Place => ({ one, name, where: 'path' })),
    ...texts(endpoint.query).map((name): Place => ({ one, name, where: 'query' })),
    ...texts(endpoint.body).map((name): Place => ({ one, name, where: 'body' })),
    ...texts(action).map((name): Place => ({ one, name, where: 'action' })),
  ]
}

/** Requests that create files and refs come last: all others would find the created names, and each commit takes time. */
const order = ['GET', 'PUT', 'DELETE', 'POST']
export const places = served
  .filter(({ path }) => path.startsWith('/projects/:id/'))
  .sort(
    (a, b) => order.indexOf(a.endpoint.method) - order.indexOf(b.endpoint.method) || b.path.split('/').length - a.path.split('/').length,
  )
  .flatMap(placesOf)

/** Places of the same kind are read by the same code: the parameter with its name, or the kind of thing it names. */
export function kindOf({ name, where }: Place): string {
  return `${where} ${name.replace(/^.*_(i?id|username)s?$/, '$1')}`
}

/** The name of the place in a list of errors, and in samples. */
export function labelOf({ name, where, one }: Place): string {
  return `${one.name}, ${where} ${name}`
}

let counter = 0

/** A request that would succeed without the hostile value. */
export function requestOf(
  fixtures: ContractFixtures,
  { one, name, where }: Place,
  value: unknown,
): { url: string; body: Record<string, unknown> | undefined } {
  const { path, endpoint } = one
  counter += 1
  const inPath = path
    .replace(':id', String(fixtures.project.id))
    .replace(/blobs\/:sha/, () => `blobs/${where === 'path' && name === 'sha' ? encoded(value) : fixtures.blob}`)
    .replace(/:(\w+)/g, (_, other: string) =>
      encoded(where === 'path' && other === name ? value : valueInPath(fixtures, endpoint.method, path, other)),
    )
  const query = { ...requiredOf(fixtures, endpoint.query), ...(where === 'query' && { [name]: value }) }
  const pairs = Object.entries(query).flatMap(([key, item]) => {
    const listed = Array.isArray(item) ? item : null
    return listed ? listed.map((each) => `${key}[]=${encoded(each)}`) : [`${key}=${encoded(item)}`]
  })
  if (endpoint.method === 'GET') return { url: `${inPath}?${pairs.join('&')}`, body: undefined }
  const body = { ...requiredOf(fixtures, endpoint.body), ...fresh(path), ...(where === 'body' && { [name]: value }) }
  if ('actions' in body) {
    const action = { action: 'create', file_path: `new/${counter}`, content: `new-${counter}` }
    body.actions = where === 'action' ? actionsWith(action, name, value) : [action]
  }
  return { url: inPath, body }
}

/** For each parameter, an action that uses it. */
function actionsWith(action: Record<string, string>, name: string, value: unknown): unknown[] {
  if (name === 'previous_path') return [{ ...action, action: 'move', file_path: 'src/main.c', [name]: value }]
  if (name === 'last_commit_id') return [{ ...action, action: 'update', file_path: 'src/main.c', [name]: value }]
  if (name === 'content') return [{ ...action, encoding: 'base64', [name]: value }]
  return [{ ...action, [name]: value }]
}

function valueInPath(fixtures: ContractFixtures, method: string, path: string, name: string): string {
  if (method === 'POST' && name === 'file_path') return `file/${counter}`
  if (method === 'PUT' && path.endsWith('/:file_path')) return 'src/main.c'
  return fixtures.values[name] ?? 'something'
}

/** Unused values for parameters that must be new; and content that differs each time. */
function fresh(path: string): Record<string, string> {
  const name = `new-${counter}`
  if (path.endsWith('/branches')) return path.includes('protected') ? { name } : { branch: name }
  if (path.endsWith('/tags') || path.endsWith('/protected_tags')) return { tag_name: name, name }
  return path.endsWith('/:file_path') ? { content: name } : {}
}

function encoded(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('hex').replace(/../g, '%$&')
  return encodeURIComponent(Buffer.from(typeof value === 'object' ? JSON.stringify(value) : String(value)).toString())
}
