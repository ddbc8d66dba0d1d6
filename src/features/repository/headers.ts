/** Text from a repository in a header of HTTP. */

/** UTF-8 bytes as Node wants them in a header, control characters percent-encoded. */
export function headerText(text: string): string {
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

/** How a download is to be treated and named. A name in ASCII is told twice, for clients that know only the older form. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = /^[\w .,+~@()-]+$/.test(name) ? ` filename="${name}";` : ''
  return `${kind};${plain} filename*=UTF-8''${extendedValue(name)}`
}

/** A text as RFC 8187 has it in a header: what `encodeURIComponent` leaves and the RFC does not is encoded too. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
