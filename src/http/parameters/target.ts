/** Splits the URL of a request into path and query as the router does, and normalizes paths of the API. */
import type { FastifyRequest } from 'fastify'
import { withoutTrailing } from '../../text/trailing.ts'

/** The path, and the query without its question mark; a fragment is dropped. */
export function targetOf({ url }: Pick<FastifyRequest, 'url'>): { path: string; query: string } {
  const [whole = ''] = url.split('#', 1)
  const start = whole.indexOf('?')
  return start < 0 ? { path: whole, query: '' } : { path: whole.slice(0, start), query: whole.slice(start + 1) }
}

/** Whether a URL is one of the API, of any version. */
export function isOfApi(url = ''): boolean {
  return /^\/+api\//.test(url)
}

/** Whether a URL belongs to git or Git LFS below the path of a repository. */
export function isOfGit(url = ''): boolean {
  return /^\/[^?#]+\/(?:info\/refs|git-upload-pack|git-receive-pack|info\/lfs\/[^?#]+)(?:[?#]|$)/.test(url)
}

/** Whether a URL is an OAuth endpoint for programs, rather than a page on which users decide. */
export function isOfOAuth(url = ''): boolean {
  return /^\/(?:oauth\/(?!authorize(?:[/?#]|$)|device(?:[/?#]|$))|\.well-known\/openid-configuration)/.test(url)
}

/**
 * An API URL without empty segments and trailing slash, which result when clients join parts. For writes, an empty segment inside the path
 * is kept: it is a missing name, and without it the path would address something else, such as all todos instead of one. An endpoint with
 * such clients declares that path as its alias.
 */
export function withoutExtraSlashes(url: string, method = 'GET'): string {
  if (!/^\/+api\/+v\d/.test(url)) return url
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  if (!path.includes('//') && !path.endsWith('/')) return url
  const isReading = method === 'GET' || method === 'HEAD'
  const short = isReading ? path.replace(/\/+/g, '/') : path.replace(/^\/+api\/+(v\d+)\/+/, '/api/$1/')
  return withoutTrailing(short, '/') + (end < 0 ? '' : url.slice(end))
}
