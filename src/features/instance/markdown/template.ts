/** Rendered Markdown with its references left open: what they lead to depends on who reads it. Of long texts only `worker.ts` has the time for it. */
import { findReferences, type Reference, readLink } from './reference-syntax.ts'

/** HTML in pieces, between which stand references: one piece more than there are of them. */
export interface Template {
  pieces: string[]
  references: OpenReference[]
}

export interface OpenReference extends Reference {
  /** As it was written, as HTML: for who can't see what it leads to. */
  html: string
  /** The words of a link, as HTML; null where the reference chooses them. */
  words: string | null
}

/** An element whose content is shown as it was written, another tag, or text between tags. */
const parts = /<(pre|code|a)(\s[^>]*)?>([\s\S]*?)<\/\1>|<[^>]*>|[^<]+/g

/** Opens the references of a text. `html` is well-formed, with `<`, `>`, `&` and quotes escaped, as sanitizing leaves it. */
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

/** Longer ones stay as they were written. */
const maxPlain_chars = 16 * 1024

/** The references of a text that is no Markdown, such as the message of a commit. */
export function openReferencesOfText(text: string, site: string): Template {
  const html = escapeText(text)
  return text.length > maxPlain_chars ? { pieces: [html], references: [] } : openReferences(html, site)
}

/** Null for a link that leads elsewhere. */
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

/** Text of HTML as sanitizing leaves it. */
export function decode(html: string): string {
  return html.includes('&') ? html.replace(/&(?:lt|gt|quot|amp|#39);/g, (entity) => entities[entity] ?? entity) : html
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;')
}
