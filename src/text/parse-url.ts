/** Parses texts that may not be URLs. */

/**
 * Null if it isn't a URL. `URL.canParse` of Node.js 20 can't be trusted: once it has been called often and is optimized, it rejects every
 * URL with a letter from U+0080 to U+00FF, such as `https://bücher.example/`.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

export function isUrl(text: string): boolean {
  return parseUrl(text) !== null
}
