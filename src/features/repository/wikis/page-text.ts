/** The text of a Markdown page as it goes to the renderer: without its front matter, with links between pages. */
import { slugOf } from './page-names.ts'

const maxFrontMatter_chars = 16 * 1024

/** What stands before the text between two lines of hyphens is for programs. */
export function withoutFrontMatter(text: string): string {
  const start = /^---[ \t]*\r?\n/.exec(text)
  if (!start) return text
  const end = /\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(start[0].length - 1, maxFrontMatter_chars))
  return end ? text.slice(start[0].length - 1 + end.index + end[0].length) : text
}

/** Blocks and spans of code, in which nothing is a link. */
const code = /(^ {0,3}(?:```|~~~)[\s\S]*?(?:^ {0,3}(?:```|~~~)|(?![\s\S]))|`[^`\n]{0,1000}`)/m

const link = /\[\[([^[\]\n|]{1,500})(?:\|([^[\]\n|]{1,1000}))?\]\]/g

/** `[[page]]` and `[[words|page]]` as links of Markdown, whose addresses are relative to the wiki. */
export function withPageLinks(text: string): string {
  return text
    .split(code)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(link, (_, words: string, page?: string) => linkTo(words.trim(), (page ?? words).trim())),
    )
    .join('')
}

function linkTo(words: string, target: string): string {
  const address = /^https?:\/\//i.test(target) ? target.replace(/[()\s]/g, encodeURIComponent) : addressOf(target)
  return `[${words.replace(/[\\`*_<>!]/g, '\\$&')}](<${address.replace(/[<>]/g, encodeURIComponent)}>)`
}

/** The part after a number sign leads to a heading. */
function addressOf(target: string): string {
  const [page = '', ...heading] = target.split('#')
  const path = slugOf(page.replace(/^\/+/, '')).split('/').map(encodeURIComponent).join('/')
  return heading.length > 0 ? `${path}#${encodeURIComponent(heading.join('#'))}` : path
}
