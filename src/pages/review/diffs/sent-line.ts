/** The position of a comment in a form: lines of a file, a point of an image, or the file as a whole. */
import type { App } from '../../../app.ts'
import { invalid } from '../../../failure.ts'
import { lineCode, type PositionRequest, refsOfVersions } from '../../../features/review/diff-notes/diff-notes.ts'
import { lineChanges } from '../../../git/diff/line-changes.ts'
import { lineMap } from '../../../git/diff/line-map.ts'
import { changesOfPaths } from '../../../git/diff/path-changes.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { sentences } from './sentences.ts'

export interface LineSent {
  path: string
  line: string
  /** The first of several lines, of which `line` is the last. */
  from_line: string
  line_type: 'new' | 'old'
  x: string
  y: string
  width: string
  height: string
  base_sha: string
  start_sha: string
  head_sha: string
}

/** The position in the diff between these commits: at most three processes. Throws 400 if there is no such line. */
export async function positionOfLine(
  app: App,
  repo: Repo,
  mergeRequestId: number,
  { path, line, from_line, line_type, x, y, width, height, ...shas }: LineSent,
): Promise<PositionRequest> {
  const range = { from: shas.base_sha === '' ? null : shas.base_sha, to: shas.head_sha }
  // Git is only asked about commits of the merge request.
  const versions = await refsOfVersions(app.db, mergeRequestId)
  const isBase = versions.some(({ base_sha, head_sha }) => [base_sha, head_sha].includes(range.from))
  if (!isBase || !versions.some(({ head_sha }) => head_sha === range.to)) throw invalid({ path: [sentences.noSuchFile] })
  const other = line_type === 'old' ? 'new' : 'old'
  const onSide = (side: 'old' | 'new') => changesOfPaths(repo, range, side, [path]).then((found) => found.get(path))
  const change = (await onSide(line_type)) ?? (await onSide(other))
  if (!change) throw invalid({ path: [sentences.noSuchFile] })
  const refs = { base_sha: range.from, start_sha: shas.start_sha || shas.base_sha, head_sha: shas.head_sha }
  const file = { ...refs, old_path: change.old_path, new_path: change.new_path }
  if (x !== '') return { ...file, position_type: 'image', ...pointIn({ x, y, width, height }) } as PositionRequest
  if (line.trim() === '') return { ...file, position_type: 'file' } as PositionRequest
  const [number, first] = [numberIn(line, 'line'), from_line.trim() === '' ? null : numberIn(from_line, 'from_line')]
  if (first !== null && first > number) throw invalid({ from_line: [sentences.afterLast] })
  const map = lineMap((await lineChanges(repo, { ...range, ...change }, { counts: true })).ranges)
  const linesAt = (at: number) =>
    line_type === 'old' ? { old_line: at, new_line: map.toNew(at) } : { old_line: map.toOld(at), new_line: at }
  const endAt = (at: number) => {
    const lines = linesAt(at)
    const type = lines.old_line === null ? 'new' : lines.new_line === null ? 'old' : null
    return { line_code: lineCode(change.new_path || change.old_path, ...map.counters(lines)), type, ...lines }
  }
  const several = first !== null && first < number && { line_range: { start: endAt(first), end: endAt(number) } }
  return { ...file, position_type: 'text', ...linesAt(number), ...several } as PositionRequest
}

function numberIn(text: string, field: 'line' | 'from_line'): number {
  if (!/^[1-9]\d{0,8}$/.test(text.trim())) throw invalid({ [field]: [sentences.notALine] })
  return Number(text)
}

/** Whole pixels, as the script sends them. */
function pointIn(sent: Record<'x' | 'y' | 'width' | 'height', string>) {
  if (!Object.values(sent).every((value) => /^\d{1,6}$/.test(value))) throw invalid({ line: [sentences.notAPoint] })
  return { x: Number(sent.x), y: Number(sent.y), width: Number(sent.width), height: Number(sent.height) }
}
