/** `[[_TOC_]]` in a paragraph of its own: the headings of the text as a list of links. */
import type { MarkdownIt, Token } from 'markdown-it'
import { idPrefix, placedIn } from './placed.ts'
import { type CoreRule, wordsOf } from './rule-types.ts'

const maxHeadings = 500

export function addContentsList({ core, utils, renderer: { rules } }: MarkdownIt): void {
  core.ruler.after('slugs', 'contents', contents)
  rules.contents = (tokens, index, _, env) => {
    const { enter, leave } = placedIn(env)
    const headings = tokens[index]?.meta?.headings as Heading[]
    return `${enter('div', ' class="contents" role="navigation" aria-label="Contents"')}${listOf(headings, utils.escapeHtml)}${leave('div')}\n`
  }
}

interface Heading {
  level: number
  words: string
  slug: string
}

const contents: CoreRule = (state) => {
  const { slugs } = placedIn(state.env)
  // Without ids there is nothing to lead to.
  if (!slugs || !state.src.includes('[[_TOC_]]')) return
  const { tokens } = state
  const at = tokens.findIndex(
    ({ type, content, level }, index) =>
      type === 'inline' && content.trim() === '[[_TOC_]]' && level === 1 && tokens[index - 1]?.type === 'paragraph_open',
  )
  if (at === -1) return
  const headings: Heading[] = []
  for (const [index, token] of tokens.entries()) {
    const slug = token.type === 'heading_open' ? String(token.attrGet('id') ?? '').slice(idPrefix.length) : ''
    if (slug !== '' && headings.length < maxHeadings)
      headings.push({ level: Number(token.tag.slice(1)), words: wordsOf(tokens[index + 1]), slug })
  }
  const list: Token = new state.Token('contents', '', 0)
  list.meta = { headings }
  tokens.splice(at - 1, 3, ...(headings.length === 0 ? [] : [list]))
}

/** A list in a list for each level below, whatever levels were left out. */
function listOf(headings: readonly Heading[], escapeHtml: (text: string) => string): string {
  let html = ''
  const open: number[] = []
  for (const { level, words, slug } of headings) {
    while (open.length > 1 && (open.at(-1) ?? 0) > level) {
      open.pop()
      html += '</li></ul>'
    }
    if (open.length === 0 || (open.at(-1) ?? 0) < level) {
      open.push(level)
      html += '<ul>'
    } else html += '</li>'
    html += `<li><a href="#${escapeHtml(slug)}">${escapeHtml(words)}</a>`
  }
  return html + '</li></ul>'.repeat(open.length)
}
