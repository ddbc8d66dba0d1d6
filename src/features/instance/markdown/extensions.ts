/** Extensions of Markdown: formulas, task lists, headings that can be linked to, and those of the files beside this one. */
import type { Env, MarkdownIt } from 'markdown-it'
import { addAlerts } from './alerts.ts'
import { addBareLinks } from './bare-links.ts'
import { colourChip } from './colour-chips.ts'
import { addContentsList } from './contents-list.ts'
import { addFootnotes } from './footnotes.ts'
import { addFrontMatter } from './front-matter.ts'
import { addInlineDiffs } from './inline-diffs.ts'
import { renderMath } from './math.ts'
import { addPageLinks } from './page-links.ts'
import { idPrefix, placedIn, slugOf } from './placed.ts'
import { type BlockRule, type CoreRule, type InlineRule, lineAt, wordsOf } from './rule-types.ts'
import { taskAt } from './task-lines.ts'

/** Adds the extensions to a parser. Its `env` is `Placed`. */
export function extend(parser: MarkdownIt): MarkdownIt {
  parser.inline.ruler.before('escape', 'math', inlineMath)
  parser.block.ruler.before('fence', 'math', blockMath, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  parser.core.ruler.after('inline', 'tasks', tasks)
  parser.core.ruler.after('inline', 'slugs', slugs)
  parser.core.ruler.before('text_join', 'escapes', escapes)
  for (const add of [addFootnotes, addAlerts, addInlineDiffs, addPageLinks, addBareLinks, addFrontMatter, addContentsList]) add(parser)
  const { rules } = parser.renderer
  const { escapeHtml } = parser.utils
  const formula = (tex: string, isBlock: boolean, env: Env | undefined) => {
    const math = renderMath(tex, isBlock)
    return math === null ? `<code>${escapeHtml(tex)}</code>` : placedIn(env).place(math)
  }
  rules.math = (tokens, index, _, env) => {
    const { content = '', block = false, markup = '' } = tokens[index] ?? {}
    return block ? `<p>${formula(content, true, env)}</p>\n` : formula(content, markup === '$$', env)
  }
  const fence = rules.fence
  rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (token?.info.trim() === 'math') return `<p>${formula(token.content, true, env)}</p>\n`
    return fence ? fence(tokens, index, options, env, self) : self.renderToken(tokens, index, options)
  }
  rules.code_inline = (tokens, index, _, env) => {
    const { content = '' } = tokens[index] ?? {}
    const chip = colourChip(content.trim())
    return `<code>${escapeHtml(content)}${chip === null ? '' : placedIn(env).place(chip)}</code>`
  }
  rules.task = (tokens, index, _, env) => {
    const { content = '', info = '', meta } = tokens[index] ?? {}
    const at = typeof meta?.place === 'string' ? ` data-task="${meta.place}"` : ''
    return placedIn(env).place(`<input type="checkbox" disabled${content === 'x' ? ' checked' : ''}${at} aria-label="${escapeHtml(info)}">`)
  }
  rules.escaped = (tokens, index, _, env) => placedIn(env).place(escapeHtml(tokens[index]?.content ?? ''))
  return parser
}

/** `$x$`, `$$x$$` and `` $`x`$ ``. A dollar before a space, or a closing one before a letter or a digit, is money. */
const formulas = [
  { form: /\$\$(?!\$)((?:[^$\\]|\\[\s\S])+?)\$\$/y, markup: '$$' },
  { form: /\$`([^`]+)`\$/y, markup: '$' },
  { form: /\$(?![\s$])((?:[^$\\\n]|\\[^\n]|\n(?!\n))+?)(?<!\s)\$(?![\p{L}\d$])/uy, markup: '$' },
]

const inlineMath: InlineRule = (state, silent) => {
  if (state.src[state.pos] !== '$') return false
  for (const { form, markup } of formulas) {
    form.lastIndex = state.pos
    const [whole = '', content = ''] = form.exec(state.src.slice(0, state.posMax)) ?? []
    if (whole === '') continue
    if (!silent) Object.assign(state.push('math', '', 0), { content, markup })
    state.pos += whole.length
    return true
  }
  return false
}

/** Limit, so that a text of many lines that each begin a formula isn't parsed again and again. */
const maxMathLines = 200

/** From a line that begins with `$$` to one that ends with it. */
const blockMath: BlockRule = (state, startLine, endLine, silent) => {
  const first = lineAt(state, startLine)
  if (!first.startsWith('$$') || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  const rest = first.slice(2)
  // On one line, it is a formula in a paragraph.
  if (rest.includes('$$')) return false
  for (let line = startLine + 1; line < Math.min(endLine, startLine + maxMathLines); line += 1) {
    const text = lineAt(state, line).trimEnd()
    if (!text.endsWith('$$')) continue
    if (silent) return true
    const lines = [
      rest,
      ...Array.from({ length: line - startLine - 1 }, (_, index) => lineAt(state, startLine + 1 + index)),
      text.slice(0, -2),
    ]
    Object.assign(state.push('math', '', 0), { content: lines.join('\n'), block: true, map: [startLine, line + 1] })
    state.line = line + 1
    return true
  }
  return false
}

/** So much of a task is its name. */
const maxName_chars = 100

/** `- [ ] to do` and `- [x] done`. On a page each says where it stands in the text, so that it can be ticked there. */
const tasks: CoreRule = ({ src, tokens, env, Token }) => {
  const lines = placedIn(env).slugs && /\[[ xX]\]/.test(src) ? src.split('\n') : null
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'inline' || tokens[index - 1]?.type !== 'paragraph_open' || tokens[index - 2]?.type !== 'list_item_open') continue
    const first = token.children?.[0]
    const [mark = '', state = ''] = (first?.type === 'text' && /^\[([ xX])\](?=\s)/.exec(first.content)) || []
    if (!first || mark === '') continue
    first.content = first.content.slice(mark.length)
    const task = new Token('task', '', 0)
    const found = lines && token.map ? taskAt(lines, token.map[0]) : null
    Object.assign(task, {
      content: state.toLowerCase(),
      info: wordsOf(token).trim().slice(0, maxName_chars) || 'Task',
      meta: found ? { place: found.place } : null,
    })
    token.children?.unshift(task)
  }
}

/** `\#1` is not a reference: its escaped character is kept separate from what follows. */
const escapes: CoreRule = ({ tokens }) => {
  for (const { children } of tokens)
    for (const token of children ?? [])
      if (token.type === 'text_special' && token.info === 'escape' && /^[@#!$~%]$/.test(token.content)) token.type = 'escaped'
}

/** Ids of headings, in the form that links in texts expect. */
const slugs: CoreRule = ({ tokens, env }) => {
  const { slugs: used } = placedIn(env)
  if (!used) return
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const slug = slugOf(wordsOf(tokens[index + 1]))
    const times = used.get(slug) ?? 0
    used.set(slug, times + 1)
    token.attrSet('id', `${idPrefix}${slug}${times === 0 ? '' : `-${times}`}`)
  }
}
