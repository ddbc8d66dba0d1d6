/**
 * Redirect URIs: where an application is told what a user decided. Compared as text, letter by letter: what only resembles a
 * registered one may lead to somebody else.
 */
import { parseUrl } from '../../../text/parse-url.ts'

/** Schemes that browsers open themselves, or run as a script. */
const unsafeSchemes = [
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'javascript:',
  'urn:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]

const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/

/**
 * What is wrong with the URI; null for nothing. Allowed are https, http on the machine of the user itself, and schemes that
 * programs on a device claim for themselves.
 */
export function redirectUriError(uri: string): string | null {
  const url = parseUrl(uri)
  if (url === null || /[\s\p{Cc}]/u.test(uri)) return 'must be an absolute address'
  if (uri.includes('#')) return 'must not contain a fragment'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  if (unsafeSchemes.includes(url.protocol)) return 'has a scheme that is not allowed'
  if (url.protocol === 'http:' && !loopback.test(uri)) return 'must be https, or http on a loopback address'
  return null
}

/** Whether the URI is one of the registered ones. Programs on a device listen on whatever port is free (RFC 8252, 7.3). */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  if (redirectUriError(uri) !== null) return false
  return registered.some((known) => known === uri || (loopback.test(known) && withoutPort(known) === withoutPort(uri)))
}

function withoutPort(uri: string): string {
  return uri.replace(loopback, '$1')
}
