/** The title of a commit: the first line of its message with text, as git defines it. */

const longTitle_chars = 100
const cutTitle_chars = 80

/** The first line with text, stripped as git does; a long one is cut at a space. */
export function titleOf(message: string): string {
  if (message.trim() === '') return '--no commit message'
  const line = message.trimStart().split(/[\r\n]/, 1)[0] ?? ''
  // Only the deciding part is split into characters: a pushed line may have any length.
  const characters = [...line.slice(0, 2 * longTitle_chars)]
  if (characters.length < longTitle_chars) return line
  const space = characters.lastIndexOf(' ', cutTitle_chars)
  return `${characters.slice(0, space > 0 ? space : cutTitle_chars).join('')}…`
}
