/**
 * The log of a job as HTML: numbered lines, collapsible sections, colors. A part can begin anywhere: `state` holds the open sections and
 * the style there.
 */
import { Html } from '../../../html/html.ts'
import { type Look, lineAsHtml, plainLook } from './ansi.ts'

/** Sections that are open, outermost first, with their start times (seconds). */
interface Open {
  name: string
  at: number
}

export interface LogState {
  look: Look
  open: Open[]
}

export const beginning: LogState = { look: plainLook, open: [] }

const name = String.raw`section_(start|end):(\d{1,16}):([\w.-]{1,255})(\[[^\]\r\n]{0,255}\])?`
const marker = new RegExp([name, String.raw`(?:\r\x1b\[0K|\r|$)`].join(''), 'g')
/** Sections nested deeper are shown as plain lines. */
const maxDepth = 10
/** Limit of characters shown per line; the raw log has them all. */
const maxLine_chars = 10_000

/** @returns the HTML, and the state at its end */
export function logOf(bytes: Buffer, first: number, state: LogState): { content: Html; state: LogState; lines: number } {
  const text = bytes.toString('utf8')
  const lines = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  const writing: Writing = {
    parts: state.open.map(() => '<details class="log-section" data-continues open><summary>…</summary>'),
    look: state.look,
    open: [...state.open],
  }
  for (const [index, line] of lines.entries()) writeLine(writing, line, first + index)
  const { parts, look, open } = writing
  return { content: new Html(parts.join('') + '</details>'.repeat(open.length)), state: { look, open }, lines: lines.length }
}

interface Writing extends LogState {
  parts: string[]
}

function writeLine(writing: Writing, line: string, number: number): void {
  const { visible, markers } = sectionsIn(line)
  const made = lineAsHtml(shown(visible), writing.look)
  let isTitle = false
  for (const marker of markers) {
    if (marker.kind === 'end') close(writing, marker)
    else if (writing.open.length < maxDepth) {
      // The text after the marker on its line is the title.
      isTitle = true
      writing.open.push({ name: marker.name, at: marker.at })
      writing.parts.push(`<details class="log-section"${marker.isCollapsed ? '' : ' open'}>${summary(number, made.html || nameOf(marker))}`)
    }
  }
  writing.look = made.look
  if (isTitle || (markers.length > 0 && visible === '')) return
  writing.parts.push(`<div id="L${number}"><a href="#L${number}">${number}</a><span>${made.html}</span></div>`)
}

/** The end of a section also closes the sections left open in it. */
function close({ parts, open }: Writing, { name, at }: Marker): void {
  const found = open.findLastIndex((one) => one.name === name)
  if (found < 0) return
  const [outermost, ...inner] = open.splice(found) as [Open, ...Open[]]
  parts.push('</details>'.repeat(inner.length), endOf(at - outermost.at))
}

/** The end of a section, with its duration unless that is zero. */
function endOf(seconds: number): string {
  return `${seconds > 0 && seconds < 1e7 ? `<p class="log-took">${seconds} s</p>` : ''}</details>`
}

function summary(number: number, html: string): string {
  return `<summary id="L${number}"><b aria-hidden="true">${number}</b><span>${html}</span></summary>`
}

const nameOf = ({ name }: Marker) => name.replaceAll('_', ' ')

function shown(line: string): string {
  return line.length > maxLine_chars ? `${line.slice(0, maxLine_chars)} …` : line
}

interface Marker {
  kind: 'start' | 'end'
  name: string
  at: number
  isCollapsed: boolean
}

/** The sections that begin and end in a line, and the text that a terminal would show: what follows the last carriage return. */
function sectionsIn(line: string): { visible: string; markers: Marker[] } {
  const markers: Marker[] = []
  const rest = line.includes('section_')
    ? line.replaceAll(marker, (_, kind: Marker['kind'], at: string, name: string, options = '') => {
        markers.push({ kind, name, at: Number(at), isCollapsed: /collapsed=true/.test(options) })
        return ''
      })
    : line
  const ended = rest.endsWith('\r') ? rest.slice(0, -1) : rest
  return { visible: ended.slice(ended.lastIndexOf('\r') + 1), markers }
}

/** The state in a form for URLs. */
export function writeState({ look, open }: LogState): string {
  const { fg, bg, bold, italic, underline } = look
  const isPlain = fg === null && bg === null && !bold && !italic && !underline
  if (isPlain && open.length === 0) return ''
  return JSON.stringify([[fg, bg, Number(bold), Number(italic), Number(underline)], ...open.map(({ name, at }) => [name, at])])
}

/** Parses the result of `writeState`; anything else gives the initial state. */
export function readState(word: string): LogState {
  try {
    const [[fg, bg, bold, italic, underline], ...open] = JSON.parse(word) as [unknown[], ...unknown[][]]
    const colour = (value: unknown) => (Number.isInteger(value) && Number(value) >= 0 && Number(value) < 16 ? Number(value) : null)
    return {
      look: { fg: colour(fg), bg: colour(bg), bold: bold === 1, italic: italic === 1, underline: underline === 1 },
      open: open.slice(0, maxDepth).flatMap(([name, at]) => {
        const isName = typeof name === 'string' && /^[\w.-]{1,255}$/.test(name)
        return isName && Number.isSafeInteger(at) ? [{ name, at: Number(at) }] : []
      }),
    }
  } catch {
    return beginning
  }
}
