/**
 * Redirect URIs, to which an application gets the decision of a user. Compared exactly: a URI that only resembles a registered one may
 * belong to someone else.
 */
import { parseUrl } from '../../../text/parse-url.ts'

/** Schemes that browsers handle themselves, or execute as scripts. */
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
 * The error in the URI; null if there is none. Allowed are https, http on the user's own machine, and custom schemes of programs on a
 * device.
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

/** Whether the URI is registered. For programs on a device the port doesn't matter (RFC 8252, 7.3). */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  if (redirectUriError(uri) !== null) return false
  return registered.some((known) => known === uri || (loopback.test(known) && withoutPort(known) === withoutPort(uri)))
}

function withoutPort(uri: string): string {
  return uri.replace(loopback, '$1')
}
