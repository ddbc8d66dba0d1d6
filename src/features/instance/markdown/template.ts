/** Rendered Markdown with open references, whose targets depend on the reader. For long texts, only `worker.ts` has enough time. */
import { findReferences, type Reference, readLink } from './reference-syntax.ts'

/** Pieces of HTML with references between them: one more piece than references. */
export interface Template {
  pieces: string[]
  references: OpenReference[]
}

export interface OpenReference extends Reference {
  /** As written, as HTML: for readers who can't see the target. */
  html: string
  /** The text of a link as HTML; null if the reference determines it. */
  words: string | null
}

/** An element whose content is not changed, another tag, or text between tags. */
const parts = /<(pre|code|a)(\s[^>]*)?>([\s\S]*?)<\/\1>|<[^>]*>|[^<]+/g

/** Opens the references of a text. `html` is well-formed, with `<`, `>`, `&` and quotes escaped, as the sanitizer returns it. */
export function openReferences(html: string, site: string): Template {
  const template: Template = { pieces: [], references: [] }
  let piece = ''
  const add = (part: string | OpenReference) => {
    if (typeof part === 'string') {
      piece += part
      return
    }
    template.pieces.push(piece)
    template.references.push(part)
    piece = ''
  }
  for (const { 0: part, 1: element, 2: attributes = '', 3: content = '' } of html.matchAll(parts)) {
    if (element === 'a') add(openLink(part, attributes, content, site) ?? part)
    else if (part.startsWith('<')) add(part)
    else for (const within of partsOf(part, site)) add(within)
  }
  template.pieces.push(piece)
  return template
}

/** In longer texts, references are not rendered. */
const maxPlain_chars = 16 * 1024

/** The references of a text that isn't Markdown, such as a commit message. */
export function openReferencesOfText(text: string, site: string): Template {
  const html = escapeText(text)
  return text.length > maxPlain_chars ? { pieces: [html], references: [] } : openReferences(html, site)
}

/** Null if the link leads elsewhere. */
function openLink(html: string, attributes: string, content: string, site: string): OpenReference | null {
  const url = decode(/\bhref="([^"]*)"/.exec(attributes)?.[1] ?? '')
  const found = readLink(url, site)
  if (found?.length !== url.length) return null
  const { length: _, ...reference } = found
  return { ...reference, html, words: decode(content) === url ? null : content }
}

function* partsOf(escaped: string, site: string): Generator<string | OpenReference> {
  const text = decode(escaped)
  let end = 0
  for (const { start, end: next, ...reference } of findReferences(text, site)) {
    yield escapeText(text.slice(end, start))
    yield { ...reference, html: escapeText(text.slice(start, next)), words: null }
    end = next
  }
  yield end === 0 ? escaped : escapeText(text.slice(end))
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/** Decodes HTML text as the sanitizer returns it. */
export function decode(html: string): string {
  return html.includes('&') ? html.replace(/&(?:lt|gt|quot|amp|#39);/g, (entity) => entities[entity] ?? entity) : html
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;')
}
