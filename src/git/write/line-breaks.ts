/** Line breaks of texts that people edit in browsers. */

/** Browsers send every line break as two characters; the text gets those that it had before. */
export function withBreaksOf(text: string, before: string): string {
  const plain = text.replace(/\r\n?/g, '\n')
  return /\r\n/.test(before) && !/[^\r]\n/.test(before) ? plain.replaceAll('\n', '\r\n') : plain
}
