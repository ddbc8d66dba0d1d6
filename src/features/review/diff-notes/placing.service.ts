/** Validates the position of a note on a diff: the commits, the file, the line. */
import type { Static } from 'typebox'
import type { Db } from '../../../db/database.ts'
import { type Failure, invalid } from '../../../failure.ts'
import { isInDiff, type Place as LineInDiff } from '../../../git/diff/diff-position.ts'
import { lineChanges } from '../../../git/diff/line-changes.ts'
import { type LineChanges, lineMap } from '../../../git/diff/line-map.ts'
import { changesOfPaths, type PathChange } from '../../../git/diff/path-changes.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { commitsAmong, refsOfVersions } from './diff-notes.queries.ts'
import type { newPosition } from './diff-notes.schema.ts'
import { lineCodeOf } from './line-codes.ts'
import { type DiffRefs, type LineEnd, type LineRange, type Position, positionText, refsOf, sameRefs } from './positions.ts'
import { readSurroundings } from './surroundings.ts'
import { tracePosition } from './tracing.ts'

export type PositionRequest = Static<typeof newPosition>

/** The columns for the position. */
export interface Place {
  original_position: string
  /** Equals `original_position` until a newer version arrives; then the traced position in that one. */
  position: string
  line_code: string | null
  /**
   * For a note on an older version whose line isn't in the newest one: the change that removed it, which may be `null` if nothing shows
   * that.
   */
  outdated_by: string | null
  /** Set for a note on a single commit. */
  commit_oid: string | null
}

/**
 * The position of a note on the diff of a merge request: on one of its versions, between two of them or, with `commitId`, on one of its
 * commits. Throws 400 if the diff has no such position. `repo` is that of the target. Up to three git processes, and those of tracing if
 * the version is an older one.
 */
export async function placeOnMergeRequest(
  db: Db,
  repo: Repo,
  mergeRequestId: number,
  request: PositionRequest,
  commitId: string | null = null,
): Promise<Place> {
  const versions = await refsOfVersions(db, mergeRequestId)
  const newest = versions.at(-1)
  if (!newest) throw invalidPosition()
  if (commitId !== null) {
    if (!(await commitsAmong(db, mergeRequestId, [commitId])).has(commitId)) throw invalid({ commit_id: ['is not in this merge request'] })
    return placeOnCommit(repo, await readCommit(repo, commitId), request)
  }
  const refs = versions.findLast((version) => isOf(request, version)) ?? betweenVersions(request, versions)
  if (!refs) throw invalidPosition()
  const { position, line_code } = await checked(repo, refs, request)
  const original_position = positionText(position)
  const original = { original_position, position: original_position, line_code, outdated_by: null, commit_oid: null }
  if (sameRefs(refs, newest)) return original
  const traced = await tracePosition(position, readSurroundings(repo, refs, newest, [position]))
  if (traced.outdated) return { ...original, outdated_by: traced.change ? positionText(traced.change) : 'null' }
  return { ...original, position: positionText(traced.position), line_code: traced.line_code }
}

/** The position of a note on the diff of a commit. Throws 400. */
export async function placeOnCommit(repo: Repo, commit: Commit, request: PositionRequest): Promise<Place> {
  const parent = commit.parents[0] ?? noCommit
  const refs = { base_sha: parent, start_sha: parent, head_sha: commit.oid }
  if (!sameRefs(refsOf(request), refs)) throw invalid({ commit_id: ['does not match the diff refs'] })
  const { position, line_code } = await checked(repo, refs, request)
  const text = positionText(position)
  return { original_position: text, position: text, line_code, outdated_by: null, commit_oid: commit.oid }
}

/** Places a note by a single line number, as older clients send it; null if the diff of the commit doesn't show the line. */
export async function placeOnLine(repo: Repo, commit: Commit, line: LineInDiff): Promise<Place | null> {
  if (!(await isInDiff(repo, commit, line))) return null
  const parent = commit.parents[0] ?? noCommit
  const refs = { base_sha: parent, start_sha: parent, head_sha: commit.oid }
  const change = await changeAt(repo, rangeOf(refs), line.path, line.path)
  const map = lineMap((await lineChanges(repo, { ...rangeOf(refs), ...change })).ranges)
  const lines =
    line.side === 'old' ? { old_line: line.line, new_line: map.toNew(line.line) } : { old_line: map.toOld(line.line), new_line: line.line }
  const { old_path, new_path } = change
  return placeOnCommit(repo, commit, { ...refs, position_type: 'text', old_path, new_path, ...lines })
}

/** The base in the diff of a commit without parents. */
const noCommit = '0'.repeat(40)

/** Clients may send the base instead of the tip of the target. */
function isOf(request: DiffRefs, version: DiffRefs): boolean {
  const isBase = request.start_sha === version.base_sha
  return sameRefs(refsOf(request), version) || (isBase && sameRefs({ ...refsOf(request), start_sha: version.start_sha }, version))
}

/** The diff from one version to another. */
function betweenVersions(request: DiffRefs, versions: DiffRefs[]): DiffRefs | null {
  const isHead = (sha: string) => versions.some(({ head_sha }) => head_sha === sha)
  const { base_sha, start_sha, head_sha } = request
  return base_sha === start_sha && isHead(start_sha) && isHead(head_sha) ? refsOf(request) : null
}

/** Adds both paths of the file, whichever was given. */
async function checked(repo: Repo, refs: DiffRefs, request: PositionRequest): Promise<{ position: Position; line_code: string | null }> {
  const range = rangeOf(refs)
  const change = await changeAt(repo, range, request.old_path ?? '', request.new_path ?? '')
  const file = { ...refs, old_path: change.old_path, new_path: change.new_path }
  if (request.position_type === 'file') return { position: { ...file, position_type: 'file' }, line_code: null }
  if (request.position_type === 'image') return { position: { ...file, position_type: 'image', ...pointOf(request) }, line_code: null }
  const [old_line, new_line] = [request.old_line ?? null, request.new_line ?? null]
  if (old_line === null && new_line === null) throw invalidPosition()
  const changes = await lineChanges(repo, { ...range, ...change }, { counts: true })
  if (!hasLine(changes, old_line, new_line)) throw invalid({ line_code: ["can't be blank", 'must be a valid line code'] })
  const line_range = request.line_range ? rangeWithNulls(request.line_range) : null
  const position = { ...file, position_type: 'text' as const, old_line, new_line, line_range }
  return { position, line_code: lineCodeOf(position, lineMap(changes.ranges)) }
}

/** The file in the diff: by its path after the change, or before it if it is deleted. */
async function changeAt(repo: Repo, range: ReturnType<typeof rangeOf>, oldPath: string, newPath: string): Promise<PathChange> {
  const byNew = newPath === '' ? undefined : (await changesOfPaths(repo, range, 'new', [newPath])).get(newPath)
  if (byNew && (oldPath === '' || oldPath === byNew.old_path || oldPath === newPath)) return byNew
  const before = oldPath || newPath
  const byOld = (await changesOfPaths(repo, range, 'old', [before])).get(before)
  if (byNew || !byOld || (newPath !== '' && newPath !== byOld.new_path && newPath !== oldPath)) throw invalidPosition()
  return byOld
}

/** Whether the file has the line, with the type that the position claims: added, removed, or on both sides. */
function hasLine({ ranges, old_lines, new_lines, binary }: LineChanges, oldLine: number | null, newLine: number | null): boolean {
  if (binary || (oldLine ?? 0) > old_lines || (newLine ?? 0) > new_lines) return false
  const map = lineMap(ranges)
  if (oldLine === null) return map.toOld(newLine as number) === null
  return map.toNew(oldLine) === newLine
}

function pointOf({ width = null, height = null, x = null, y = null }: PositionRequest) {
  if (width === null || height === null || x === null || y === null || x > width || y > height) throw invalidPosition()
  return { width, height, x, y }
}

type SentRange = NonNullable<PositionRequest['line_range']>

function rangeWithNulls({ start, end }: SentRange): LineRange {
  const whole = ({ line_code = null, type = null, old_line = null, new_line = null }: SentRange['start']): LineEnd => ({
    line_code,
    type,
    old_line,
    new_line,
  })
  return { start: whole(start), end: whole(end) }
}

function rangeOf({ base_sha, head_sha }: DiffRefs): { from: string | null; to: string } {
  return { from: base_sha === noCommit ? null : base_sha, to: head_sha }
}

function invalidPosition(): Failure {
  return invalid({ position: ['is invalid'] })
}
