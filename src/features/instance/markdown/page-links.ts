/** Links between the pages of a wiki: `[[page]]` and `[[words|page]]`. */

/**
 * The target of a link in double brackets, relative to the wiki, with hyphens instead of spaces. The part after a number sign is a heading.
 */
export function pageLinkTo(target: string): string {
  if (/^https?:\/\//i.test(target)) return target.replace(/[()\s]/g, encodeURIComponent)
  const [page = '', ...heading] = target.split('#')
  const path = page.replace(/^\/+/, '').replace(/\s/g, '-').split('/').map(encodeURIComponent).join('/')
  return heading.length > 0 ? `${path}#${encodeURIComponent(heading.join('#'))}` : path
}

/** Elements whose content is not changed, tags, and text between tags. */
const parts = /<(pre|code|a)(?:\s[^>]*)?>[\s\S]*?<\/\1>|<[^>]*>|[^<]+/g

const link = /\[\[([^[\]\n|]{1,500})(?:\|([^[\]\n|]{1,1000}))?\]\]/g

/** HTML with these links as elements. */
export function withPageLinks(html: string): string {
  if (!html.includes('[[')) return html
  return html.replace(parts, (part) =>
    part.startsWith('<')
      ? part
      : part.replace(link, (_, words: string, page?: string) => `<a href="${pageLinkTo((page ?? words).trim())}">${words.trim()}</a>`),
  )
}
