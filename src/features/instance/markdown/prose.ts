/** Markdown with everything that isn't prose (code, comments, link texts) replaced by spaces, so that positions are kept. */

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** Replaces code, comments and link texts by spaces: nobody is mentioned there. */
export function proseOf(markdown: string): string {
  if (!/[`~<[\\]|^(?: {4}| {0,3}\t)/m.test(markdown)) return markdown
  const text = withoutElements(withoutComments(withoutBlocks(markdown)))
  return withoutLinkWords(text.includes('`') ? withoutSpans(text) : text)
}

/** The blocks that contain a line of Markdown. */
interface Blocks {
  /** The marker of the surrounding fence; empty outside of one. */
  fence: string
  /** The column at which the text of an item begins, for each open list, the outermost first. */
  columns: number[]
  inCode: boolean
  afterBlank: boolean
}

/** Without fenced and indented code. */
function withoutBlocks(markdown: string): string {
  const blocks: Blocks = { fence: '', columns: [], inCode: false, afterBlank: true }
  return markdown
    .split('\n')
    .map((line) => (isCode(line, blocks) ? blank(line) : line))
    .join('\n')
}

/** Whether a line is code, or the border of a code block; updates `blocks` for the following lines. */
function isCode(line: string, blocks: Blocks): boolean {
  // A fence may be inside a quote or a list item.
  const content = line.replace(/^(?: {0,3}>)+ ?/, '')
  if (blocks.fence !== '') {
    const marker = fence.exec(content.trimStart())?.[1] ?? ''
    if (marker.startsWith(blocks.fence) && content.trim() === marker) blocks.fence = ''
    return true
  }
  const isBlank = content.trim() === ''
  if (!isBlank) enterLine(content, blocks)
  blocks.afterBlank = isBlank
  if (isBlank || blocks.inCode) return blocks.inCode
  const inList = blocks.columns.length > 0
  blocks.fence = fence.exec(inList ? content.replace(listItem, '').trimStart() : content)?.[1] ?? ''
  return blocks.fence !== ''
}

/** Which lists the line is in, and whether it is code by its indentation. */
function enterLine(content: string, blocks: Blocks): void {
  const { columns, afterBlank, inCode } = blocks
  const indent = columnsOf(/^\s*/.exec(content)?.[0] ?? '')
  const item = listItem.exec(content)?.[0]
  // A line right below a paragraph belongs to it, however it is indented.
  if (afterBlank || item !== undefined) while (columns.length > 0 && indent < (columns.at(-1) ?? 0)) columns.pop()
  blocks.inCode = indent >= (columns.at(-1) ?? 0) + 4 && (afterBlank || inCode)
  if (item !== undefined && !blocks.inCode) columns.push(columnsOf(item))
}

function columnsOf(text: string): number {
  let columns = 0
  for (const sign of text) columns += sign === '\t' ? 4 - (columns % 4) : 1
  return columns
}

const tags = /<(\/?)(pre|code|a|style|script)(?:\s[^<>]*)?>/gi

/** Without what stands between the tags of elements whose text is no prose. */
function withoutElements(text: string): string {
  if (!text.includes('</')) return text
  let shown = ''
  let end = 0
  let open: { name: string; at: number } | null = null
  for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(tags)) {
    if (!open && slash === '') open = { name: name.toLowerCase(), at: index + tag.length }
    else if (open && slash !== '' && name.toLowerCase() === open.name) {
      shown += text.slice(end, open.at) + blank(text.slice(open.at, index))
      end = index
      open = null
    }
  }
  return end === 0 ? text : shown + text.slice(end)
}

function withoutComments(text: string): string {
  let shown = ''
  let end = 0
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', end)) {
    const close = text.indexOf('-->', start)
    const next = close === -1 ? text.length : close + 3
    shown += text.slice(end, start) + blank(text.slice(start, next))
    end = next
  }
  return end === 0 ? text : shown + text.slice(end)
}

/** Replaces spans of code: from a run of backticks to the next run of the same length, within one paragraph. */
function withoutSpans(text: string): string {
  return text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => (paragraph.includes('`') ? withoutSpansOf(paragraph) : paragraph))
    .join('')
}

function withoutSpansOf(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].filter(({ index }) => paragraph[index - 1] !== '\\')
  /** Positions of runs by length, in descending order, so that the next one is at the end. */
  const byLength = new Map<number, number[]>()
  for (const { 0: run, index } of runs.toReversed()) {
    const same = byLength.get(run.length)
    if (same) same.push(index)
    else byLength.set(run.length, [index])
  }
  let shown = ''
  let end = 0
  for (const { 0: run, index } of runs) {
    if (index < end) continue
    const same = byLength.get(run.length) ?? []
    while (same.length > 0 && (same.at(-1) ?? 0) <= index) same.pop()
    const close = same.at(-1)
    if (close === undefined) continue
    shown += paragraph.slice(end, index) + blank(paragraph.slice(index, close + run.length))
    end = close + run.length
  }
  return shown + paragraph.slice(end)
}

/** The target of a link counts, and its words don't, nor do targets that are written apart. Escaped signs are text. */
function withoutLinkWords(text: string): string {
  const rest = text.includes(']:') ? text.replace(/^ {0,3}\[(?!\^)[^[\]\n]{1,500}\]:.*$/gm, blank) : text
  return rest.replace(/\[([^[\]\n]{1,500})\](?=\()/g, (words) => blank(words)).replace(/\\[@#!$~%]/g, '  ')
}
