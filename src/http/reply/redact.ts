/** Keeps secrets in URLs out of the log and of links. */

/** Whether a `name=value` pair of a query may contain a secret, so that links to other pages omit it. */
export function isSecret(pair: string): boolean {
  return /token|password|secret|signature|credential|url\]?$/i.test(decoded(pair.split('=', 1)[0] as string))
}

/** Parameters whose values are logged. Any other may be secret, or contain a signed URL. */
const logged = new Set([
  ...[
    'page',
    'per_page',
    'order_by',
    'sort',
    'ref',
    'ref_name',
    'sha',
    'service',
    'format',
    'recursive',
    'simple',
    'all',
    'since',
    'until',
  ],
  ...['state', 'scope', 'visibility', 'owned', 'membership', 'starred', 'archived', 'statistics', 'with_stats', 'min_access_level'],
])
/** Harmless values: not a URL, and not as long as a signed token. */
const plainValue = /^(?!.*\/\/)[\w.:~^+/ -]{0,100}$/
/** Harmless parameter names. Tokens contain digits. */
const plainName = /^[a-z_]{1,40}(?:\[[a-z_]{0,40}\])*$/i

/** The URL of a request for the log: its path, the names of its parameters, and the values of a few that are known to be harmless. */
export function redactUrl(url: string): string {
  // In absolute form, as sent to proxies: with a host and possibly a username and password.
  if (!url.startsWith('/')) return '[redacted]'
  const start = url.indexOf('?')
  const path = redactPath(start < 0 ? url : url.slice(0, start))
  if (start < 0) return path
  return `${path}?${url
    .slice(start + 1)
    .split('&')
    .map(pairToLog)
    .join('&')}`
}

function pairToLog(pair: string): string {
  const equals = pair.indexOf('=')
  const name = decoded(equals < 0 ? pair : pair.slice(0, equals))
  if (equals < 0 || !plainName.test(name)) return pair === '' ? '' : '[redacted]'
  return logged.has(name) && plainValue.test(decoded(pair.slice(equals + 1))) ? pair : `${name}=[redacted]`
}

/** The secret in the URL of an upload is all it takes to read it, and that of an invitation to accept it. */
function redactPath(path: string): string {
  return path.replace(/\/uploads\/[0-9a-f]{32}(?=\/|$)/gi, '/uploads/[redacted]').replace(/^\/-\/invites\/[^/]+/, '/-/invites/[redacted]')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // It can't be decoded, so it is redacted.
    return text
  }
}
