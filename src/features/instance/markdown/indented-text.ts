/** Renders markup with lists by indentation, which RDoc and Org have in common. Only `worker.ts` has enough time for it. */

/** The beginning of a list item. */
export interface ItemStart {
  kind: 'ul' | 'ol' | 'dl'
  /** The term of a `dl` item, as written. */
  term?: string
  /** The column at which the text of the item begins: lines that belong to it are indented more than its marker. */
  column: number
}

export interface Block {
  html: string
  /** Index of the line after it. */
  next: number
}

export interface Syntax {
  /** Whether a line alone may begin a block; called for each line of a paragraph. */
  begins: (line: string) => boolean
  /** The block that begins at such a line: a heading, a table, quoted code. Null if it is a paragraph after all. */
  block: (lines: readonly string[], index: number, depth: number) => Block | null
  /** Null if the line doesn't begin an item. */
  item: (line: string) => ItemStart | null
  /** The text of a paragraph, escaped, with links and emphasis. */
  inline: (text: string) => string
  /** Whether indented lines are code. */
  hasIndentedCode: boolean
}

/** Deeper lists become paragraphs. */
const maxDepth = 20

const isBlank = (line: string | undefined) => line === undefined || line.trim() === ''
const indentOf = (line: string) => line.length - line.trimStart().length

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;')
}

export function linesOf(text: string): string[] {
  return text.replace(/\t/g, '        ').split(/\r\n|\r|\n/)
}

export function codeBlock(lines: readonly string[], language?: string): string {
  const name = language === undefined ? '' : ` class="language-${escapeHtml(language)}"`
  return `<pre><code${name}>${escapeHtml(lines.join('\n'))}\n</code></pre>\n`
}

/** An element that can be linked to by the words of its heading. */
export function heading(level: number, words: string, inline: (text: string) => string): string {
  const id = words
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-')
  const name = `h${Math.min(6, Math.max(1, level))}`
  return `<${name} id="${escapeHtml(id)}">${inline(words)}</${name}>\n`
}

export function renderLines(lines: readonly string[], syntax: Syntax, depth = 0): string {
  const made: string[] = []
  let index = 0
  while (index < lines.length) {
    if (isBlank(lines[index])) index += 1
    else {
      const { html, next } = blockAt(lines, index, syntax, depth)
      made.push(html)
      index = Math.max(next, index + 1)
    }
  }
  return made.join('')
}

function blockAt(lines: readonly string[], index: number, syntax: Syntax, depth: number): Block {
  const line = lines[index] ?? ''
  const block = syntax.begins(line) ? syntax.block(lines, index, depth) : null
  if (block) return block
  if (depth < maxDepth && syntax.item(line)) return listAt(lines, index, syntax, depth)
  if (syntax.hasIndentedCode && indentOf(line) > 0) return indentedCode(lines, index)
  let next = index + 1
  while (next < lines.length && !isBlank(lines[next]) && !endsParagraph(lines[next] ?? '', syntax, depth)) next += 1
  const text = lines.slice(index, next).map((one) => one.trim())
  return { html: `<p>${syntax.inline(text.join('\n'))}</p>\n`, next }
}

function endsParagraph(line: string, syntax: Syntax, depth: number): boolean {
  return syntax.begins(line) || (syntax.hasIndentedCode && indentOf(line) > 0) || (depth < maxDepth && syntax.item(line) !== null)
}

function indentedCode(lines: readonly string[], index: number): Block {
  let end = index
  let next = index
  for (; next < lines.length && (isBlank(lines[next]) || indentOf(lines[next] ?? '') > 0); next += 1) if (!isBlank(lines[next])) end = next
  const code = lines.slice(index, end + 1)
  const margin = code.reduce((least, line) => (isBlank(line) ? least : Math.min(least, indentOf(line))), Number.POSITIVE_INFINITY)
  return { html: codeBlock(code.map((line) => line.slice(margin))), next }
}

/** All items of one kind with the same indentation. */
function listAt(lines: readonly string[], start: number, syntax: Syntax, depth: number): Block {
  const margin = indentOf(lines[start] ?? '')
  const kind = syntax.item(lines[start] ?? '')?.kind ?? 'ul'
  const items: string[] = []
  let index = start
  for (;;) {
    const line = lines[index] ?? ''
    const item = index < lines.length && indentOf(line) === margin ? syntax.item(line) : null
    if (item?.kind !== kind) break
    let next = index + 1
    while (next < lines.length && (isBlank(lines[next]) || indentOf(lines[next] ?? '') > margin)) next += 1
    const within = [line.slice(item.column), ...lines.slice(index + 1, next).map((one) => one.slice(Math.min(item.column, indentOf(one))))]
    const content = tight(renderLines(within, syntax, depth + 1))
    const term = item.term === undefined ? '' : `<dt>${syntax.inline(item.term)}</dt>\n`
    items.push(kind === 'dl' ? `${term}<dd>${content}</dd>\n` : `<li>${content}</li>\n`)
    index = next
  }
  return { html: `<${kind}>\n${items.join('')}</${kind}>\n`, next: index }
}

/** If an item consists of one paragraph, its tags are omitted. */
function tight(html: string): string {
  const [, only] = /^<p>([\s\S]*)<\/p>\n$/.exec(html) ?? []
  return only === undefined || only.includes('<p>') ? html : only
}
