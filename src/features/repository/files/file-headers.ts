/** The metadata of a file as response headers. */

/** UTF-8 bytes in the form that Node.js requires in a header, with control characters percent-encoded. */
function headerText(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header can't carry them
  const safe = text.replace(/[\x00-\x1f\x7f]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)
  return Buffer.from(safe, 'utf8').toString('latin1')
}

/** `file_path` as both `X-Service-File-Path` and `X-Gitlab-File-Path`, for clients of either name. */
export function describeInHeaders(values: Record<string, string | number>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const words = name.replaceAll('_', '-')
    headers[`x-service-${words}`] = headers[`x-gitlab-${words}`] = headerText(String(value))
  }
  return headers
}
