/** Lines of a file, each with its number as a link. */
import { plainLine } from '../../../features/repository/highlighting/highlighting.ts'
import { Html } from '../../../html/html.ts'

/** With more lines, browsers take seconds for the page. */
export const maxLines = 20_000

/** The lines of a text; a final line end starts no further line. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** Each line can be linked to: `#L7`. Its number isn't copied with the text. `lines` are HTML; `before` is the prefix of their ids. */
export function codeOf(lines: readonly string[], first = 1, before = ''): Html {
  return new Html(`<pre class="code" tabindex="0">${lines.map((line, index) => numbered(line, first + index, before)).join('')}</pre>`)
}

/** Lines of plain text as HTML. */
export function plainLines(lines: readonly string[]): string[] {
  return lines.map(plainLine)
}

function numbered(line: string, number: number, before: string): string {
  return `<span id="${before}L${number}"><a href="#${before}L${number}">${number}</a>${line}\n</span>`
}
