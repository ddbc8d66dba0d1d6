/** Text from a repository in a header of HTTP. */

/** UTF-8 bytes as Node wants them in a header, control characters percent-encoded. */
export function headerText(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header can't carry them
  const safe = text.replace(/[\x00-\x1f\x7f]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)
  return Buffer.from(safe, 'utf8').toString('latin1')
}

/** `file_path` as both `X-Service-File-Path` and `X-Gitlab-File-Path`: clients of either name are served. */
export function describeInHeaders(values: Record<string, string | number>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const words = name.replaceAll('_', '-')
    headers[`x-service-${words}`] = headers[`x-gitlab-${words}`] = headerText(String(value))
  }
  return headers
}

/**
 * How a download is to be treated and named. A name that isn't plain is told in the newer form first, which counts for whoever
 * knows it, and then as far as the older one can: some clients take what follows `filename=` to the end, and need it.
 */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\w .,+~@()-]/gu, '_')
  const exact = plain === name ? '' : ` filename*=UTF-8''${extendedValue(name)};`
  return `${kind};${exact} filename="${plain}"`
}

/** A text as RFC 8187 has it in a header: what `encodeURIComponent` leaves and the RFC does not is encoded too. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
