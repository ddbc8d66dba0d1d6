/**
 * Nested parameters, parsed from query strings and forms like Rack does: `name[]`, `name[key]`, `list[][key]` (spec part 1). qs, picoquery
 * and Fastify's own parser misread repeated arrays of hashes (`list[][a]=1&list[][b]=2&list[][a]=3`), which clients of this API send.
 * Contradictions (`a=1&a[b]=2`) are rejected; `__proto__` is a key like any other.
 */
import { badParameter } from '../../failure.ts'

/** Objects without a prototype, so that no key is special. */
export interface Parameters {
  [name: string]: unknown
}

const maxPairs = 20_000
const maxDepth = 16

/**
 * Parses `a=1&b[]=2&c[d]=3&e` to `{ a: '1', b: ['2'], c: { d: '3' }, e: null }`. Throws 400 if it can't be decoded or contradicts itself.
 */
export function parseQuery(text: string): Parameters {
  if (text === '') return empty()
  const pairs = text.split('&')
  if (pairs.length > maxPairs) throw badParameter('too many parameters')
  return nest(
    pairs
      .filter((pair) => pair !== '')
      .map((pair): [string, string | null] => {
        const equals = pair.indexOf('=')
        return equals < 0 ? [decode(pair), null] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
      }),
  )
}

/** Converts names with brackets to nested values. Throws 400 for names that contradict each other (`a=1&a[b]=2`). */
export function nest(pairs: Iterable<[name: string, value: unknown]>): Parameters {
  const root = empty()
  for (const [name, value] of pairs) store(root, name, value, 0)
  return root
}

export function empty(): Parameters {
  return Object.create(null) as Parameters
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw badParameter('the parameters are not encoded as UTF-8')
  }
}

function store(into: Parameters, name: string, value: unknown, depth: number): void {
  if (depth > maxDepth) throw badParameter('the parameters are nested too deeply')
  const match = /^[[\]]*([^[\]]+)\]*/.exec(name)
  if (!match) return
  const key = match[1] as string
  const rest = name.slice(match[0].length)
  if (rest === '') {
    into[key] = value
    return
  }
  if (rest === '[]') {
    listAt(into, key).push(value)
    return
  }
  const inList = /^\[\](?:\[([^[\]]+)\]$|(.+)$)/.exec(rest)
  if (!inList) {
    store(objectAt(into, key), rest, value, depth + 1)
    return
  }
  const list = listAt(into, key)
  const child = (inList[1] ?? inList[2]) as string
  const last = list.at(-1)
  if (isObject(last) && !has(last, child)) store(last, child, value, depth + 1)
  else {
    const fresh = empty()
    store(fresh, child, value, depth + 1)
    list.push(fresh)
  }
}

function listAt(into: Parameters, key: string): unknown[] {
  into[key] ??= []
  const known = into[key]
  if (!Array.isArray(known)) throw badParameter(`${key} is invalid`)
  return known
}

function objectAt(into: Parameters, key: string): Parameters {
  into[key] ??= empty()
  const known = into[key]
  if (!isObject(known)) throw badParameter(`${key} is invalid`)
  return known
}

/** Whether the nested name is already set: the element of the list is complete then, and the next one starts. */
function has(object: Parameters, name: string): boolean {
  if (name.includes('[]')) return false
  let at: unknown = object
  for (const part of name.split(/[[\]]+/).filter((part) => part !== '')) {
    if (!isObject(at) || !(part in at)) return false
    at = at[part]
  }
  return true
}

export function isObject(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
