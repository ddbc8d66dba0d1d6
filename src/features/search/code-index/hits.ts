/** The hits in one file that the index has named: lines with their neighbors, or the path. */
import { setImmediate as turn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import { textOf } from '../../../git/objects/text-of.ts'
import { type CodeHit, type CodeQuery, context_lines, type LineMatcher } from '../code-search/code-search.ts'
import type { Doc } from './segment-format.ts'
import { readIndexed } from './update.service.ts'

/** A file that may have what is searched. */
export interface Candidate extends Doc {
  project_id: number
}

/** The remaining budget of a search. Once it is used up, the reply says that results are incomplete. */
export interface Bounds {
  /** In the time of `Date.now()`. */
  until: number
  left_bytes: number
  left_files: number
}

export function areExceeded({ until, left_bytes, left_files }: Bounds): boolean {
  return left_files <= 0 || left_bytes <= 0 || Date.now() > until
}

/** By the content, else by the path. */
export async function hitsIn(
  app: App,
  { project_id, path, oid }: Candidate,
  { text, matcher }: CodeQuery,
  bounds: Bounds,
): Promise<CodeHit[]> {
  bounds.left_files -= 1
  const content = await readIndexed(app.git.open(project_id), oid)
  if (content === null) return []
  bounds.left_bytes -= content.length
  const lines = textOf(content).split('\n')
  const at = { path, project_id, ref: '' }
  const pieces = piecesAround(lines, await linesWith(lines, matcher, bounds))
  if (pieces.length > 0) return pieces.map((piece) => ({ ...at, ...piece, oid: null }))
  // With filters alone the path is what was searched.
  if (text !== '' && !matcher.isIn(path)) return []
  return [
    {
      ...at,
      startline: 1,
      data: lines
        .slice(0, 1 + 2 * context_lines)
        .map(shortened)
        .join(''),
      oid,
    },
  ]
}

const slice_ms = 5

/** Their indexes. Other requests have their turn meanwhile. */
async function linesWith(lines: string[], { isIn }: LineMatcher, { until }: Bounds): Promise<number[]> {
  const found: number[] = []
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length
  let started = performance.now()
  for (let index = 0; index < end; index += 1) {
    if (isIn(lines[index] as string)) found.push(index)
    if (performance.now() - started < slice_ms) continue
    if (Date.now() > until) break
    await turn()
    started = performance.now()
  }
  return found
}

const maxLine_chars = 2_000
const shortened = (line: string) => `${line.slice(0, maxLine_chars)}\n`

/** These lines, each with its neighbors; those that meet are one piece. */
function piecesAround(lines: string[], found: number[]): Array<{ startline: number; data: string }> {
  const pieces: Array<{ first: number; last: number }> = []
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length
  for (const index of found) {
    const [first, last] = [Math.max(index - context_lines, 0), Math.min(index + context_lines, end - 1)]
    const before = pieces.at(-1)
    if (before && first <= before.last + 1) before.last = last
    else pieces.push({ first, last })
  }
  return pieces.map(({ first, last }) => ({ startline: first + 1, data: shownPart(lines, first, last) }))
}

/** Each line of a file may match: of a longer piece the beginning is shown, as in the search of one project. */
const maxPiece_chars = 8 * 1024

function shownPart(lines: string[], first: number, last: number): string {
  let text = ''
  for (let index = first; index <= last && text.length < maxPiece_chars; index += 1) text += shortened(lines[index] as string)
  return text
}
