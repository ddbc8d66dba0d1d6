/** Links between the pages of a wiki, and its pictures: `[[page]]`, `[[words|page]]`, `[[picture.png|alt=words]]`. */
import type { MarkdownIt } from 'markdown-it'
import { placedIn } from './placed.ts'
import type { InlineRule } from './rule-types.ts'

/**
 * The target of a link in double brackets, relative to the wiki, with hyphens instead of spaces. The part after a number sign is a heading.
 */
export function pageLinkTo(target: string): string {
  if (/^https?:\/\//i.test(target)) return target.replace(/[()\s]/g, encodeURIComponent)
  const [page = '', ...heading] = target.split('#')
  const path = page.replace(/^\/+/, '').replace(/\s/g, '-').split('/').map(encodeURIComponent).join('/')
  return heading.length > 0 ? `${path}#${encodeURIComponent(heading.join('#'))}` : path
}

const picture = /^[^?#]+\.(?:jpe?g|png|gif|svg|bmp|webp|avif)$/i
const attribute = /^(alt|width|height)=(.*)$/

type Tag = { kind: 'link'; words: string; target: string } | { kind: 'picture'; source: string; attributes: Array<[string, string]> }

/** Parses the text between double brackets; null for text that isn't a tag. */
function tagOf(content: string): Tag | null {
  const [first = '', ...rest] = content.split('|').map((part) => part.trim())
  if (first === '' || first === '_TOC_') return null
  if (!picture.test(first) || (rest.length > 0 && !rest.some((part) => part.includes('=')))) {
    return rest.length > 1 ? null : { kind: 'link', words: first, target: rest[0] || first }
  }
  const attributes = rest.flatMap((part): Array<[string, string]> => {
    const [, name = '', value = ''] = attribute.exec(part) ?? []
    if (name === '' || (name !== 'alt' && !/^\d{1,4}(?:px|%)?$/.test(value))) return []
    return [[name, value.replace(/px$/, '')]]
  })
  const source = /^https?:\/\//i.test(first) ? first : first.split('/').map(encodeURIComponent).join('/')
  return { kind: 'picture', source, attributes }
}

const form = /\[\[([^[\]\n]{1,1500})\]\]/y

export function addPageLinks({ inline }: MarkdownIt): void {
  inline.ruler.before('link', 'page_link', pageLink)
}

const pageLink: InlineRule = (state, silent) => {
  if (!placedIn(state.env).isWiki || !state.src.startsWith('[[', state.pos)) return false
  form.lastIndex = state.pos
  const [whole = '', content = ''] = form.exec(state.src) ?? []
  const tag = whole === '' || state.pos + whole.length > state.posMax ? null : tagOf(content)
  if (!tag) return false
  if (!silent && tag.kind === 'link') {
    state.push('link_open', 'a', 1).attrs = [['href', pageLinkTo(tag.target)]]
    state.push('text', '', 0).content = tag.words
    state.push('link_close', 'a', -1)
  } else if (!silent && tag.kind === 'picture') {
    const alt = new state.Token('text', '', 0)
    alt.content = tag.attributes.find(([name]) => name === 'alt')?.[1] ?? ''
    const others = tag.attributes.filter(([name]) => name !== 'alt')
    Object.assign(state.push('image', 'img', 0), {
      attrs: [['src', tag.source], ['alt', ''], ...others],
      children: [alt],
      content: alt.content,
    })
  }
  state.pos += whole.length
  return true
}

/** Elements whose text stays as it was written, tags, and text between tags. */
const parts = /<(pre|code|a)(?:\s[^>]*)?>[\s\S]*?<\/\1>|<[^>]*>|[^<]+/g

const link = /\[\[([^[\]\n]{1,1500})\]\]/g

/** HTML of another format with these as elements. It has yet to be cleaned. */
export function withPageLinks(html: string): string {
  if (!html.includes('[[')) return html
  return html.replace(parts, (part) =>
    part.startsWith('<') ? part : part.replace(link, (whole, content: string) => elementOf(tagOf(content)) ?? whole),
  )
}

/** The text is HTML already: only quotes could end an attribute. */
function elementOf(tag: Tag | null): string | null {
  if (!tag) return null
  if (tag.kind === 'link') return `<a href="${pageLinkTo(tag.target)}">${tag.words}</a>`
  const quoted = (value: string) => value.replaceAll('"', '&quot;')
  return `<img src="${quoted(tag.source)}"${tag.attributes.map(([name, value]) => ` ${name}="${quoted(value)}"`).join('')}>`
}
