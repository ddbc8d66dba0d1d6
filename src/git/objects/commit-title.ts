/** The title of a commit: the first line of its message that has text, as git has it. */

const longTitle_chars = 100
const cutTitle_chars = 80

/** The first line with text, without what git strips around it; a long one is cut at a space. */
export function titleOf(message: string): string {
  if (message.trim() === '') return '--no commit message'
  const line = message.trimStart().split(/[\r\n]/, 1)[0] ?? ''
  // Only as much of it as decides: a line may be pushed with any length.
  const characters = [...line.slice(0, 2 * longTitle_chars)]
  if (characters.length < longTitle_chars) return line
  const space = characters.lastIndexOf(' ', cutTitle_chars)
  return `${characters.slice(0, space > 0 ? space : cutTitle_chars).join('')}…`
}
