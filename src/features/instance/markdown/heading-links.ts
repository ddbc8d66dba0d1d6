/** Headings of a page that can be pointed at: each gets a link to itself, in front of it. */
import { idPrefix } from './placed.ts'

const heading = new RegExp(`<h[1-6](?=[^>]*\\sid="(${idPrefix}[^"]*)")[^>]*>(?=((?:(?!</h)[\\s\\S]){0,400}))`, 'g')

const maxName_chars = 100

/** @param html as sanitizing leaves it */
export function withHeadingLinks(html: string): string {
  return html.replace(heading, (opening, id: string, content: string) => {
    const words = content
      .replace(/<[^>]*>?/g, '')
      .replace(/"/g, '&quot;')
      .replace(/\s+/g, ' ')
      .trim()
    return `<a class="to-heading" href="#${id}" aria-label="Link to “${cut(words)}”"></a>${opening}`
  })
}

/** No entity is cut in two. */
function cut(words: string): string {
  return words.length > maxName_chars ? `${words.slice(0, maxName_chars).replace(/&[^;]*$/, '')}…` : words
}
