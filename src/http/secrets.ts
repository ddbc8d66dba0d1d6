/** Parameters that only their receiver may read: they stay out of the log and out of links. */

/** Whether a `name=value` pair of a query carries a secret, however its name is written. */
export function isSecret(pair: string): boolean {
  return /token|password|secret|import_url/i.test(decoded(pair.split('=', 1)[0] as string))
}

/** The address of a request as it may be written down. */
export function withoutSecrets(url: string): string {
  const start = url.indexOf('?') + 1
  if (start === 0) return url
  const pairs = url.slice(start).split('&')
  return url.slice(0, start) + pairs.map((pair) => (isSecret(pair) ? `${pair.split('=', 1)[0]}=[redacted]` : pair)).join('&')
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
