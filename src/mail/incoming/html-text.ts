/** The text of an HTML message, as Markdown, without what it quotes. */
import { Parser } from 'htmlparser2'

/** Not written by the sender: quotes, and tables of signatures and news letters; and what browsers don't show. */
const unread = new Set(['blockquote', 'table', 'head', 'title', 'style', 'script', 'template', 'noscript', 'svg', 'math', 'select'])
/** Mail programs mark quotes by these. */
const quotes = /(^|\s)(gmail_quote|gmail_extra|moz-cite-prefix|yahoo_quoted|protonmail_quote)(\s|$)/
const quoteIds = /^(divRplyFwdMsg|appendonsend|mail-editor-reference-message-container)$/i
const paragraphs = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'hr'])
const lines = new Set(['div', 'li', 'section', 'article', 'header', 'footer', 'address', 'dl', 'dt', 'dd'])
/** Never have an end tag. */
const empty = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'base', 'col', 'area', 'wbr', 'embed', 'source', 'track', 'param'])

/** The time that the parser takes grows with the square of the depth, so what is deeper than any text is not read. */
const maxDepth = 1_000
const piece_chars = 16 * 1024

type Attributes = Readonly<Record<string, string>>

export function textOfHtml(html: string): string {
  const written = openWriter()
  /** The number of open elements inside the outermost one that is not read, itself included. */
  let unreadDepth = 0
  /** Set once the rest is a quote: some mail programs mark only its beginning and close that element at once. */
  let isOver = false
  let depth = 0
  const elements = writeElements(written)
  const parser = new Parser({
    onopentag(name, attributes) {
      isOver ||= quoteIds.test(attributes.id ?? '')
      depth += 1
      if (unreadDepth > 0 || isUnread(name, attributes)) unreadDepth += empty.has(name) ? 0 : 1
      else if (!isOver) elements.begin(name, attributes)
    },
    ontext(text) {
      if (unreadDepth === 0 && !isOver) elements.write(text)
    },
    onclosetag(name) {
      depth -= 1
      if (empty.has(name)) return
      if (unreadDepth > 0) unreadDepth -= 1
      else if (!isOver) elements.end(name)
    },
  })
  for (let at = 0; at < html.length && depth <= maxDepth; at += piece_chars) parser.write(html.slice(at, at + piece_chars))
  parser.end()
  return written.text()
}

function isUnread(name: string, attributes: Attributes): boolean {
  return unread.has(name) || quotes.test(attributes.class ?? '')
}

/** Writes elements, and the text in them. */
function writeElements(written: Writer) {
  let preformatted = 0
  const links: Array<{ href: string; since: number }> = []
  const breakFor = (name: string) => {
    if (paragraphs.has(name)) written.separate()
    else if (lines.has(name)) written.beginLine()
  }
  return {
    begin(name: string, { href = '' }: Attributes): void {
      if (name === 'br') written.breakLine()
      else breakFor(name)
      if (name === 'pre') preformatted += 1
      if (name === 'a') links.push({ href, since: written.position() })
      if (name === 'li') written.add('* ')
    },
    write(text: string): void {
      if (preformatted > 0) written.add(text)
      else written.addFlowing(text)
    },
    end(name: string): void {
      if (name === 'pre') preformatted -= 1
      const link = name === 'a' ? links.pop() : undefined
      if (link && /^(https?|mailto):/i.test(link.href)) written.link(link.since, link.href)
      breakFor(name)
    },
  }
}

type Writer = ReturnType<typeof openWriter>

/** Text with line breaks where elements begin and end. */
function openWriter() {
  const parts: string[] = []
  let length = 0
  let isAtStart = true
  let hasBlankLine = true
  const add = (text: string): void => {
    if (text === '') return
    parts.push(text)
    length += text.length
    isAtStart = text.endsWith('\n')
    hasBlankLine = text.endsWith('\n\n')
  }
  const breakLine = (): void => {
    const isBlank = isAtStart
    add('\n')
    hasBlankLine = isBlank
  }
  const beginLine = (): void => {
    if (!isAtStart) breakLine()
  }
  return {
    add,
    breakLine,
    beginLine,
    /** White space is one space, and none at the beginning of a line. */
    addFlowing(text: string): void {
      const flowing = text.replace(/[^\S\u00a0]+/g, ' ').replaceAll('\u00a0', ' ')
      add(isAtStart ? flowing.trimStart() : flowing)
    },
    /** Begins a paragraph. */
    separate(): void {
      beginLine()
      if (!hasBlankLine) breakLine()
    },
    position: () => length,
    /** Makes a link of what was written since then, unless that is the address. */
    link(since: number, href: string): void {
      let at = parts.length
      for (let position = length; position > since && at > 0; at -= 1) position -= parts[at - 1]?.length ?? 0
      const label = parts.splice(at).join('')
      length -= label.length
      const shown = label.trim()
      const isPlain = shown === '' || href.replace(/\/$/, '') === shown.replace(/\/$/, '') || href === `mailto:${shown}`
      add(isPlain ? label : `[${label.replaceAll(/[[\]]/g, '')}](${href.replaceAll(/[\s()]/g, encodeURIComponent)})`)
    },
    text: () => parts.join(''),
  }
}
