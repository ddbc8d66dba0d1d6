/** Footnotes: `[^name]` in a text, and `[^name]: the note` for what stands below it. */
import type { MarkdownIt, Token } from 'markdown-it'
import { idPrefix, placedIn } from './placed.ts'
import { type BlockRule, type BlockState, type CoreRule, type InlineRule, lineAt } from './rule-types.ts'

/** A note as it was written, by its name in small letters. */
interface Written {
  content: string
  line: number
}

interface Notes {
  footnotes?: Map<string, Written>
  /** A note has no notes of its own below it. */
  isInFootnote?: boolean
}

const notesOf = (env: unknown) => env as Notes

/** A note leads back to so many places that name it. */
const maxBacklinks = 10

export function addFootnotes({ block, inline, core, renderer: { rules } }: MarkdownIt): void {
  // A note that is one address would be the target of a link.
  block.ruler.before('reference', 'footnote', definition, { alt: ['paragraph', 'reference'] })
  inline.ruler.before('link', 'footnote', mention)
  core.ruler.after('block', 'footnotes', readNotes)
  core.ruler.after('inline', 'footnote_numbers', numberNotes)
  rules.footnote_ref = (tokens, index, _, env) => {
    const { number, time } = mentionAt(tokens, index)
    const { place, mark } = placedIn(env)
    const id = `${idPrefix}fnref-${mark}-${number}${time > 1 ? `-${time}` : ''}`
    return place(`<sup><a id="${id}" href="#${idPrefix}fn-${mark}-${number}" aria-label="Footnote ${number}">${number}</a></sup>`)
  }
  rules.footnotes_open = (_tokens, _index, _options, env) =>
    `${placedIn(env).enter('div', ' class="footnotes" role="doc-endnotes" aria-label="Footnotes"')}\n<ol>\n`
  rules.footnotes_close = (_tokens, _index, _options, env) => `</ol>\n${placedIn(env).leave('div')}\n`
  rules.footnote_open = (tokens, index, _, env) => {
    const { enter, mark } = placedIn(env)
    return `<li>${enter('div', ` id="${idPrefix}fn-${mark}-${tokens[index]?.info}"`)}\n`
  }
  rules.footnote_close = (_tokens, _index, _options, env) => `${placedIn(env).leave('div')}</li>\n`
  rules.footnote_back = (tokens, index, _, env) => {
    const { number, time } = mentionAt(tokens, index)
    const { place, mark } = placedIn(env)
    const of = time > 1 ? `-${time}` : ''
    return place(` <a href="#${idPrefix}fnref-${mark}-${number}${of}" aria-label="Back to footnote ${number}${of} in the text">↩</a>`)
  }
}

interface Mention {
  number: number
  /** Its position among the mentions of the same note. */
  time: number
}

function mentionAt(tokens: readonly Token[], index: number): Mention {
  return tokens[index]?.meta as unknown as Mention
}

const start = /^\[\^([^\]\s]{1,100})\]:[ \t]*/

const definition: BlockRule = (state, startLine, endLine, silent) => {
  const notes = notesOf(state.env)
  if (state.level !== 0 || notes.isInFootnote || (state.sCount[startLine] ?? 0) >= 4) return false
  const [mark = '', name = ''] = start.exec(lineAt(state, startLine)) ?? []
  if (name === '') return false
  if (silent) return true
  const end = endOf(state, startLine, endLine)
  const content = `${lineAt(state, startLine).slice(mark.length)}\n${state.getLines(startLine + 1, end, 4, false)}`
  notes.footnotes ??= new Map()
  const key = name.toLowerCase()
  if (!notes.footnotes.has(key)) notes.footnotes.set(key, { content, line: startLine })
  state.line = end
  return true
}

/** The line after a note: its paragraph, and what is indented below it. */
function endOf(state: BlockState, startLine: number, endLine: number): number {
  const interrupting = state.md.block.ruler.getRules('paragraph')
  let end = startLine + 1
  for (let line = startLine + 1; line < endLine; line += 1) {
    if (state.isEmpty(line)) continue
    const goesOn = (state.sCount[line] ?? 0) >= 4 || (line === end && !interrupting.some((rule) => rule(state, line, endLine, true)))
    if (!goesOn) break
    end = line + 1
  }
  return end
}

const form = /\[\^([^\]\s]{1,100})\]/y

const mention: InlineRule = (state, silent) => {
  const { footnotes } = notesOf(state.env)
  if (!footnotes || state.src[state.pos] !== '[') return false
  form.lastIndex = state.pos
  const [whole = '', name = ''] = form.exec(state.src) ?? []
  const key = name.toLowerCase()
  if (!footnotes.has(key) || state.pos + whole.length > state.posMax) return false
  if (!silent) state.push('footnote_ref', '', 0).info = key
  state.pos += whole.length
  return true
}

/** The blocks of all notes are put below the text, so that their text is read with it. */
const readNotes: CoreRule = (state) => {
  const notes = notesOf(state.env)
  if (!notes.footnotes) return
  notes.isInFootnote = true
  for (const [name, { content, line }] of notes.footnotes) {
    const from = state.tokens.length
    const open = new state.Token('footnote_open', '', 1)
    open.info = name
    state.tokens.push(open)
    state.md.block.parse(content, state.md, state.env, state.tokens)
    for (const token of state.tokens.slice(from)) if (token.map) token.map = [token.map[0] + line, token.map[1] + line]
    state.tokens.push(new state.Token('footnote_close', '', -1))
  }
}

/** Notes get their numbers in the order in which they are named first; those that nobody names are left out. */
const numberNotes: CoreRule = (state) => {
  if (!notesOf(state.env).footnotes) return
  const written = new Map<string, Token[]>()
  const text: Token[] = []
  let note: Token[] | null = null
  for (const token of state.tokens) {
    if (token.type === 'footnote_open') {
      note = []
      written.set(token.info, note)
    }
    ;(note ?? text).push(token)
    if (token.type === 'footnote_close') note = null
  }
  const times = new Map<string, number>()
  const numbers = new Map<string, number>()
  const number = (tokens: Token[]) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        if (token.type !== 'footnote_ref') continue
        const time = (times.get(token.info) ?? 0) + 1
        times.set(token.info, time)
        if (time === 1) numbers.set(token.info, times.size)
        token.meta = { number: numbers.get(token.info) ?? 0, time }
      }
  }
  number(text)
  state.tokens = times.size === 0 ? text : [...text, ...belowText(state.Token, written, times, number)]
}

function belowText(
  Kind: Parameters<CoreRule>[0]['Token'],
  written: Map<string, Token[]>,
  times: Map<string, number>,
  number: (tokens: Token[]) => void,
): Token[] {
  const below: Token[] = [new Kind('footnotes_open', '', 1)]
  const notes: Token[][] = []
  // A note may name others, which come behind it: the map grows while it is read.
  for (const name of times.keys()) {
    const tokens = written.get(name) ?? []
    number(tokens)
    notes.push(tokens)
  }
  for (const [index, name] of [...times.keys()].entries()) {
    const tokens = notes[index] ?? []
    const [open] = tokens
    if (open) open.info = String(index + 1)
    const back = Array.from({ length: Math.min(times.get(name) ?? 0, maxBacklinks) }, (_, time) => {
      const link = new Kind('footnote_back', '', 0)
      link.meta = { number: index + 1, time: time + 1 }
      return link
    })
    const last = tokens.at(-2)?.type === 'paragraph_close' ? tokens.at(-3) : undefined
    if (last?.children) last.children.push(...back)
    else tokens.splice(-1, 0, ...back)
    for (const token of tokens) below.push(token)
  }
  below.push(new Kind('footnotes_close', '', -1))
  return below
}
