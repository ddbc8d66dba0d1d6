/**
 * Traces a position from one diff (from A to B) to another (from C to D). A line is followed on its own side, through the changes there (B
 * to D, or A to C); its position in the new diff follows from that diff alone (C to D). So it is never moved to another line.
 */
import type { LineMap } from '../../../git/diff/line-map.ts'
import { lineCodeOf } from './line-codes.ts'
import type { DiffRefs, FilePosition, ImagePosition, LineEnd, LineRange, Position, TextPosition } from './positions.ts'

/** A file that exists in two commits. */
export interface FileChange {
  old_path: string
  new_path: string
  /** Whether its content changed. */
  is_changed: boolean
  map: LineMap
}

/** Files by a path on one side. */
export interface Surroundings {
  /** The refs of the new diff. */
  refs: DiffRefs
  /** The change of a file from B to D; null if it was deleted. */
  headChange: (path: string) => Promise<FileChange | null>
  /** The change of a file from A to C; null if it was deleted. */
  baseChange: (path: string) => Promise<FileChange | null>
  /** The file of the new diff with this path on this side; null if the diff doesn't contain it. */
  inDiff: (side: 'old' | 'new', path: string) => Promise<FileChange | null>
}

/**
 * The present position; or that it is outdated, with the position of the change that caused it, between both heads or both bases. Null if
 * nothing shows that.
 */
export type Traced = { outdated: false; position: Position; line_code: string | null } | { outdated: true; change: Position | null }

export async function tracePosition(position: Position, around: Surroundings): Promise<Traced> {
  if (position.position_type !== 'text') return traceFile(position, around)
  if (position.new_line !== null) return traceNewLine(position, position.new_line, around)
  return traceRemovedLine(position, position.old_line ?? 0, around)
}

/** A point in an image is kept while the image is unchanged, a whole file while it is in the diff. */
async function traceFile(position: ImagePosition | FilePosition, around: Surroundings): Promise<Traced> {
  const change = await around.headChange(position.new_path)
  const isSame = change !== null && !(position.position_type === 'image' && change.is_changed)
  // A file that the diff deletes is not in both heads.
  const file = change ? await around.inDiff('new', change.new_path) : await around.inDiff('old', position.old_path)
  if (file === null || !(isSame || change === null)) return { outdated: true, change: null }
  return { outdated: false, position: { ...position, ...around.refs, ...pathsOf(file) }, line_code: null }
}

/** For an added line, or one on both sides. */
async function traceNewLine(position: TextPosition, line: number, around: Surroundings): Promise<Traced> {
  const change = await around.headChange(position.new_path)
  const now = change?.map.toNew(line) ?? null
  if (change === null || now === null) {
    const paths = change ? pathsOf(change) : { old_path: position.new_path, new_path: position.new_path }
    const refs = { base_sha: position.head_sha, start_sha: position.head_sha, head_sha: around.refs.head_sha }
    return { outdated: true, change: { ...position, ...refs, ...paths, old_line: line, new_line: null, line_range: null } }
  }
  const file = await around.inDiff('new', change.new_path)
  // The file is now equal to that of the target, so the diff can't show the line.
  if (file === null) return { outdated: true, change: null }
  return placed(position, around, file, file.map.toOld(now), now)
}

async function traceRemovedLine(position: TextPosition, line: number, around: Surroundings): Promise<Traced> {
  const change = await around.baseChange(position.old_path)
  const before = change?.map.toNew(line) ?? null
  if (change === null || before === null) {
    const paths = change ? pathsOf(change) : { old_path: position.old_path, new_path: position.old_path }
    const [base, head_sha] = [position.base_sha, around.refs.base_sha]
    if (base === null || head_sha === null) return { outdated: true, change: null }
    const refs = { base_sha: base, start_sha: base, head_sha }
    return { outdated: true, change: { ...position, ...refs, ...paths, old_line: line, new_line: null, line_range: null } }
  }
  const file = await around.inDiff('old', change.new_path)
  const now = file ? file.map.toNew(before) : before
  if (file && now === null) return placed(position, around, file, before, null)
  // The line exists again: the diff no longer removes it.
  const refs = { base_sha: position.head_sha, start_sha: position.head_sha, head_sha: around.refs.head_sha }
  const paths = file ? pathsOf(file) : { old_path: change.new_path, new_path: change.new_path }
  return { outdated: true, change: { ...position, ...refs, ...paths, old_line: null, new_line: now, line_range: null } }
}

async function placed(
  before: TextPosition,
  around: Surroundings,
  file: FileChange,
  old_line: number | null,
  new_line: number | null,
): Promise<Traced> {
  const position = { ...before, ...around.refs, ...pathsOf(file), old_line, new_line, line_range: null }
  const line_range = await traceRange(before, around, file, position)
  return { outdated: false, position: { ...position, line_range }, line_code: lineCodeOf(position, file.map) }
}

type Lines = Pick<LineEnd, 'old_line' | 'new_line'>

/**
 * The first line of a range is followed like the last one, which is the position. Null if there was no range, or the first line is gone:
 * the note is then on its last line.
 * @param last the present position of the last line
 */
async function traceRange(
  { line_range, old_path, new_path }: TextPosition,
  around: Surroundings,
  file: FileChange,
  last: TextPosition,
): Promise<LineRange | null> {
  if (line_range === null) return null
  const named = linesOf(line_range.start)
  const start = named && (await traceLines(named, around, file, { old_path, new_path }))
  if (!start || isBehind(start, last)) return null
  const end = (lines: Lines): LineEnd => ({ line_code: lineCodeOf({ ...last, ...lines }, file.map), type: typeOf(lines), ...lines })
  return { start: end(start), end: end({ old_line: last.old_line, new_line: last.new_line }) }
}

/** Clients may give an end only by its line code and type. */
function linesOf({ old_line, new_line, line_code, type }: LineEnd): Lines | null {
  if (old_line !== null || new_line !== null) return { old_line, new_line }
  const [, old = '', now = ''] = /^[0-9a-f]{40}_(\d{1,10})_(\d{1,10})$/.exec(line_code ?? '') ?? []
  if (old === '') return null
  return { old_line: type === 'new' ? null : Number(old), new_line: type === 'old' ? null : Number(now) }
}

async function traceLines(
  { old_line, new_line }: Lines,
  around: Surroundings,
  file: FileChange,
  paths: Pick<TextPosition, 'old_path' | 'new_path'>,
): Promise<Lines | null> {
  if (new_line !== null) {
    const change = await around.headChange(paths.new_path)
    const line = change?.new_path === file.new_path ? change.map.toNew(new_line) : null
    return line === null ? null : { old_line: file.map.toOld(line), new_line: line }
  }
  const change = await around.baseChange(paths.old_path)
  const line = old_line !== null && change?.new_path === file.old_path ? change.map.toNew(old_line) : null
  return line === null ? null : { old_line: line, new_line: file.map.toNew(line) }
}

function isBehind(start: Lines, last: Lines): boolean {
  const behind = (one: number | null, other: number | null) => one !== null && other !== null && one > other
  return behind(start.old_line, last.old_line) || behind(start.new_line, last.new_line)
}

function typeOf({ old_line, new_line }: Lines): LineEnd['type'] {
  if (old_line !== null && new_line !== null) return null
  return old_line === null ? 'new' : 'old'
}

function pathsOf({ old_path, new_path }: FileChange) {
  return { old_path, new_path }
}
