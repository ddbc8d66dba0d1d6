/** Addresses in text that are links without any signs around them: `www.example.org`, `ssh://host`. */
import type { MarkdownIt } from 'markdown-it'
import type { InlineRule } from './rule-types.ts'

/** Addresses that would run as a program in the page. */
export const refusedSchemes = ['javascript', 'vbscript', 'data'] as const

const refused = new RegExp(`^(?:${refusedSchemes.join('|')}):`)

const max_chars = 2_000

const host = /^(?:[\p{L}\p{N}_-]{1,63}\.){1,20}\p{L}[\p{L}\p{N}-]{1,62}(?::\d{1,5})?(?:[/?#][^\s<]*)?/u

export function addBareLinks(parser: MarkdownIt): void {
  // Browsers leave out what can't be seen.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  parser.validateLink = (url) => !refused.test(url.replace(/[\x00-\x20\x7f]/g, '').toLowerCase())
  parser.linkify.add('www.', {
    validate: (text, pos) => withoutEnd(host.exec(text.slice(pos, pos + max_chars))?.[0] ?? '').length,
    normalize: (match) => {
      match.url = `http://${match.url}`
    },
  })
  parser.inline.ruler.after('linkify', 'bare_link', bareLink)
}

const bareLink: InlineRule = (state, silent) => {
  const { src, pos, posMax, pending, linkLevel } = state
  if (linkLevel > 0 || !src.startsWith('://', pos)) return false
  const scheme = /[a-z][a-z0-9+.-]{1,30}$/i.exec(pending.slice(-31))?.[0] ?? ''
  if (scheme === '') return false
  const rest = withoutEnd(/^[^\s<>]+/.exec(src.slice(pos + 3, Math.min(posMax, pos + max_chars)))?.[0] ?? '')
  const url = state.md.normalizeLink(`${scheme}://${rest}`)
  if (rest === '' || !state.md.validateLink(url)) return false
  if (!silent) {
    state.pending = pending.slice(0, -scheme.length)
    state.push('link_open', 'a', 1).attrs = [['href', url]]
    state.push('text', '', 0).content = `${scheme}://${rest}`
    state.push('link_close', 'a', -1)
  }
  state.pos += 3 + rest.length
  return true
}

const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** Signs that end a sentence are no part of an address, nor is a bracket that was opened before it. */
function withoutEnd(address: string): string {
  const counts = new Map<string, number>()
  for (const sign of address) if ('()[]{}'.includes(sign)) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  let end = address.length
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? ''
    if (/[?!.,:;*_~'"]/.test(last)) continue
    const open = pairs[last]
    const closed = counts.get(last) ?? 0
    if (open === undefined || closed <= (counts.get(open) ?? 0)) break
    counts.set(last, closed - 1)
  }
  return address.slice(0, end)
}
