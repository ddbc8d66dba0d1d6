/** Markdown with everything that isn't prose (code, comments, link texts) replaced by spaces, so that positions are kept. */

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** Replaces code, comments and link texts by spaces: nobody is mentioned there. */
export function proseOf(markdown: string): string {
  if (!/[`~<[\\]|^(?: {4}|\t)/m.test(markdown)) return markdown
  const text = withoutComments(withoutBlocks(markdown))
  return withoutLinkWords(text.includes('`') ? withoutSpans(text) : text)
}

/** The blocks that contain a line of Markdown. */
interface Blocks {
  /** The marker of the surrounding fence; empty outside of one. */
  fence: string
  inCode: boolean
  inList: boolean
  afterBlank: boolean
}

/** Without fenced and indented code. */
function withoutBlocks(markdown: string): string {
  const blocks: Blocks = { fence: '', inCode: false, inList: false, afterBlank: true }
  return markdown
    .split('\n')
    .map((line) => (isCode(line, blocks) ? blank(line) : line))
    .join('\n')
}

/** Whether a line is code, or the border of a code block; updates `blocks` for the following lines. */
function isCode(line: string, blocks: Blocks): boolean {
  // A fence may be inside a quote or a list item.
  const content = line.replace(/^(?: {0,3}>)+ ?/, '')
  const isItem = listItem.test(content)
  const marker = fence.exec(blocks.inList || isItem ? content.replace(listItem, '').trimStart() : content)?.[1] ?? ''
  if (blocks.fence !== '') {
    if (marker.startsWith(blocks.fence) && content.trim() === marker) blocks.fence = ''
    return true
  }
  blocks.fence = marker
  if (marker !== '') return true
  const isBlank = line.trim() === ''
  if (!isBlank) {
    blocks.inCode = /^(?: {4}|\t)/.test(content) && !blocks.inList && (blocks.afterBlank || blocks.inCode)
    if (isItem) blocks.inList = true
    else if (blocks.afterBlank && !/^\s/.test(content)) blocks.inList = false
  }
  blocks.afterBlank = isBlank
  return blocks.inCode
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

/** Keeps link targets, but not link texts. Escaped characters are text. */
function withoutLinkWords(text: string): string {
  return text.replace(/\[([^[\]\n]{1,500})\](?=\()/g, (words) => blank(words)).replace(/\\[@#!$~%]/g, '  ')
}
