/** Suggestions: fenced blocks in a note on a line, with the lines to replace it by. */
import { withBreaksOf } from '../../../text/line-breaks.ts'

export interface SuggestedChange {
  /** How many lines above the note's line are also replaced, and below. */
  lines_above: number
  lines_below: number
  /** The new lines with their terminators; empty if the lines are removed. */
  to_content: string
}

/** Further blocks of a note are plain text. */
const maxSuggestions = 100
const maxLines = 100

/** In the order of the text. A block inside another one is text of that block. */
export function suggestionsIn(body: string): SuggestedChange[] {
  const found: SuggestedChange[] = []
  let open: { fence: string; indent: number; change: SuggestedChange | null } | null = null
  for (const line of body.split(/\r?\n/)) {
    const [, spaces = '', fence = '', info = ''] = /^( {0,3})(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
    if (open === null) {
      if (fence === '' || (fence.startsWith('`') && info.includes('`'))) continue
      open = { fence, indent: spaces.length, change: changeOf(info.trim()) }
    } else if (fence.startsWith(open.fence) && info.trim() === '') {
      if (open.change && found.length < maxSuggestions) found.push(open.change)
      open = null
    } else if (open.change) {
      open.change.to_content += `${withoutIndent(line, open.indent)}\n`
    }
  }
  // An unclosed block ends with the text.
  if (open?.change && found.length < maxSuggestions) found.push(open.change)
  return found
}

function changeOf(info: string): SuggestedChange | null {
  const numbers = /^suggestion(?::-(\d{1,6})\+(\d{1,6}))?$/.exec(info)
  if (!numbers) return null
  const [lines_above, lines_below] = [Number(numbers[1] ?? 0), Number(numbers[2] ?? 0)]
  return { lines_above: Math.min(lines_above, maxLines), lines_below: Math.min(lines_below, maxLines), to_content: '' }
}

/** Removes as many spaces from the lines of a block as precede its fence. */
function withoutIndent(line: string, indent: number): string {
  return line.replace(new RegExp(`^ {0,${indent}}`), '')
}

/** The lines from `from` to `to`, counted from 1, with their terminators; fewer if the text has fewer. */
export function linesBetween(text: string, from: number, to: number): string {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(Math.max(0, from - 1), to).join('')
}

/** Replaces these lines in the text; the new ones get the same terminators. */
export function withLinesReplaced(text: string, from: number, to: number, content: string): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const isEnd = to >= lines.length
  const before = lines.slice(0, Math.max(0, from - 1))
  // A last line without a terminator keeps having none.
  const ended = isEnd && !text.endsWith('\n') ? content.replace(/\n$/, '') : content
  const replaced = lines.slice(before.length, to).join('')
  const written = withBreaksOf(ended, replaced.includes('\n') ? replaced : text)
  return [...before, written, ...lines.slice(to)].join('')
}
