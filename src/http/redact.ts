/** Parameters that only their receiver may read: they stay out of the log and out of links. */

/** Whether a `name=value` pair of a query carries a secret, however its name is written: it is left out of links to other pages. */
export function isSecret(pair: string): boolean {
  return /token|password|secret|signature|credential|url\]?$/i.test(decoded(pair.split('=', 1)[0] as string))
}

/** Parameters whose values are written to the log. All others may be secret, or hold an address with a signature in it. */
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
/** What these may hold: no address, and nothing as long as most tokens with a signature are. */
const plainValue = /^(?!.*\/\/)[\w.:~^+/ -]{0,100}$/
/** Names as parameters have them. Tokens have digits. */
const plainName = /^[a-z_]{1,40}(?:\[[a-z_]{0,40}\])*$/i

/**
 * The address of a request as it is written to the log: its path, the names of its parameters, and the values of a few that
 * are known to be harmless.
 */
export function withoutSecrets(url: string): string {
  // As proxies are asked: with a host, and maybe a name and password before it.
  if (!url.startsWith('/')) return '[redacted]'
  const start = url.indexOf('?')
  const path = withoutUploadSecret(start < 0 ? url : url.slice(0, start))
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

/** Who knows the address of an upload may read it. */
function withoutUploadSecret(path: string): string {
  return path.replace(/\/uploads\/[0-9a-f]{32}(?=\/|$)/gi, '/uploads/[redacted]')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Refused by its name or value then, as it is no plain one.
    return text
  }
}
