/** `{+ added +}` and `{- removed -}`, also in brackets. */
import type { MarkdownIt } from 'markdown-it'
import { placedIn } from './placed.ts'
import type { InlineRule } from './rule-types.ts'

const closing: Record<string, string> = { '{+': '+}', '{-': '-}', '[+': '+]', '[-': '-]' }

const max_chars = 1_000

export function addInlineDiffs({ inline, renderer: { rules } }: MarkdownIt): void {
  inline.ruler.before('link', 'inline_diff', inlineDiff)
  rules.inline_diff_open = (tokens, index, _, env) =>
    placedIn(env).enter(tokens[index]?.info === '+' ? 'ins' : 'del', ' class="inline-diff"')
  rules.inline_diff_close = (tokens, index, _, env) => placedIn(env).leave(tokens[index]?.info === '+' ? 'ins' : 'del')
}

const inlineDiff: InlineRule = (state, silent) => {
  const { src, pos, posMax } = state
  const close = closing[src.slice(pos, pos + 2)]
  if (close === undefined) return false
  const within = src.slice(pos + 2, Math.min(posMax, pos + 2 + max_chars))
  const length = within.indexOf(close)
  if (length < 1 || within.slice(0, length).trim() === '') return false
  const end = pos + 2 + length
  // The words of a link.
  if (src[pos] === '[' && /[([]/.test(src[end + 2] ?? '')) return false
  if (!silent) {
    const info = src[pos + 1] ?? ''
    state.push('inline_diff_open', '', 1).info = info
    Object.assign(state, { pos: pos + 2, posMax: end })
    state.md.inline.tokenize(state)
    state.push('inline_diff_close', '', -1).info = info
    state.posMax = posMax
  }
  state.pos = end + 2
  return true
}
