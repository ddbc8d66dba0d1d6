/** Alerts: quotes that begin with `[!NOTE]` or another kind on a line of its own. */
import type { MarkdownIt, Token } from 'markdown-it'
import { placedIn } from './placed.ts'
import type { CoreRule } from './rule-types.ts'

const titles: Record<string, string> = { note: 'Note', tip: 'Tip', important: 'Important', warning: 'Warning', caution: 'Caution' }

const marker = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i

export function addAlerts({ core, renderer: { rules } }: MarkdownIt): void {
  core.ruler.after('block', 'alerts', alerts)
  rules.alert_open = (tokens, index, _, env) => {
    const kind = tokens[index]?.info ?? ''
    const { enter, place } = placedIn(env)
    return `${enter('div', ` class="alert is-${kind}"`)}${place(`<p class="alert-title">${titles[kind]}</p>`)}\n`
  }
  rules.alert_close = (_tokens, _index, _options, env) => `${placedIn(env).leave('div')}\n`
}

const alerts: CoreRule = (state) => {
  /** Whether each open quote is an alert. */
  const open: boolean[] = []
  const kept: Token[] = []
  const { tokens } = state
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    kept.push(token)
    if (token.type === 'blockquote_open') {
      const paragraph = tokens[index + 1]?.type === 'paragraph_open' ? tokens[index + 2] : undefined
      const kind = paragraph ? takeMarker(paragraph) : null
      open.push(kind !== null)
      if (kind === null) continue
      Object.assign(token, { type: 'alert_open', info: kind })
      // A paragraph of nothing but the marker is left out.
      if (paragraph?.content === '') index += 3
    } else if (token.type === 'blockquote_close' && open.pop()) token.type = 'alert_close'
  }
  state.tokens = kept
}

/** The kind of alert that a paragraph begins with, whose marker is taken out; null for none. */
function takeMarker(paragraph: Token): string | null {
  const [whole = '', kind] = marker.exec(paragraph.content) ?? []
  if (kind === undefined) return null
  paragraph.content = paragraph.content.slice(whole.length)
  // A task of the paragraph is found by its line.
  if (paragraph.map && whole.endsWith('\n')) paragraph.map = [paragraph.map[0] + 1, paragraph.map[1]]
  return kind.toLowerCase()
}
