/** Names of operations for generated clients: `listProjectRepositoryTags`, `getGroupBadge`, `starProject`. */
import type { Endpoint } from './endpoint.ts'

const verbs = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' } as const

/**
 * Derived from the method and path only, so that an operation keeps its name. A POST to a singular word after a parameter is an action:
 * `POST /projects/:id/star`. If the result reads badly, the declaration gives an `operationId`.
 */
export function operationIdOf({ method, path, kind, reply }: Pick<Endpoint, 'method' | 'path' | 'kind' | 'reply'>): string {
  const parts = path
    .replace(/^\/user(?=\/|$)/, '/current_user')
    .split('/')
    .slice(1)
  const last = parts.at(-1) ?? ''
  const isAction = method === 'POST' && !last.startsWith(':') && !isPlural(last) && parts.at(-2)?.startsWith(':') === true
  const isList = kind === 'list' || (reply as { type?: string } | null)?.type === 'array'
  const verb = isAction ? last : isList ? 'list' : verbs[method]
  const words = parts.flatMap((part, at) => {
    if (part.startsWith(':') || (isAction && at === parts.length - 1)) return []
    const isOne = parts[at + 1]?.startsWith(':') || (at === parts.length - 1 && method === 'POST')
    return [isOne ? singular(part) : part]
  })
  // `archive.:format` is not a second path parameter, but a second operation.
  const suffix = /\.:(\w+)$/.exec(path)?.[1]
  return camel([verb, ...words.map((word) => word.replace(/\.:\w+$/, '')), ...(suffix ? ['as', suffix] : [])].join('_'))
}

function isPlural(word: string): boolean {
  return /[^s]s$/.test(word)
}

function singular(word: string): string {
  if (!isPlural(word)) return word
  if (word.endsWith('ies')) return word.replace(/ies$/, 'y')
  return word.replace(/(?<=us|ch)es$|s$/, '')
}

function camel(text: string): string {
  return text.replace(/[^a-z0-9]+(\w)/gi, (_, letter: string) => letter.toUpperCase())
}
