/** Reads from git what tracing needs: changes of files between the heads, between the bases, and in the new diff. */
import type { Side } from '../../../git/diff/hunks.ts'
import { lineChanges } from '../../../git/diff/line-changes.ts'
import { lineMap } from '../../../git/diff/line-map.ts'
import { changesOfPaths, type PathChange } from '../../../git/diff/path-changes.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { DiffRefs, Position } from './positions.ts'
import type { FileChange, Surroundings } from './tracing.ts'

interface Range {
  from: string | null
  to: string
}

/**
 * For positions of one diff, all traced to the same new one. Two processes per pair of commits, regardless of the number of files, and one
 * per file that changed between them; nothing is read before it is needed.
 */
export function readSurroundings(repo: Repo, old: DiffRefs, refs: DiffRefs, positions: Position[]): Surroundings {
  const paths = (side: Side) => [...new Set(positions.map((position) => position[`${side}_path`]))]
  const heads = changesBetween(repo, { from: old.head_sha, to: refs.head_sha }, () => paths('new'))
  const bases = changesBetween(repo, { from: old.base_sha, to: refs.base_sha ?? refs.head_sha }, () => paths('old'))
  const diff = { from: refs.base_sha, to: refs.head_sha }
  const inDiff = memoized(async (key: string) => {
    const [side, path] = [key.slice(0, 3) as Side, key.slice(4)]
    const change = (await changesOfPaths(repo, diff, side, [path])).get(path)
    return change ? fileChange(repo, diff, change) : null
  })
  return {
    refs,
    headChange: heads,
    baseChange: (path) => (old.base_sha === refs.base_sha ? Promise.resolve(unchanged(path)) : bases(path)),
    inDiff: (side, path) => inDiff(`${side} ${path}`),
  }
}

function changesBetween(repo: Repo, range: Range, paths: () => string[]): (path: string) => Promise<FileChange | null> {
  let listed: Promise<Map<string, PathChange>> | undefined
  return memoized(async (path) => {
    if (range.from === range.to) return unchanged(path)
    listed ??= changesOfPaths(repo, range, 'old', paths())
    const change = (await listed).get(path)
    if (!change) return unchanged(path)
    return change.status === 'D' ? null : fileChange(repo, range, change)
  })
}

async function fileChange(repo: Repo, range: Range, change: PathChange): Promise<FileChange> {
  const { old_path, new_path } = change
  const is_changed = change.old_oid !== change.new_oid
  const { ranges, binary } = is_changed ? await lineChanges(repo, { ...range, ...change }) : { ranges: [], binary: false }
  // The lines of a binary file are unknown.
  return { old_path, new_path, is_changed, map: binary ? noLines : lineMap(ranges) }
}

const noLines = lineMap([{ old_start: 1, old_count: Number.MAX_SAFE_INTEGER, new_start: 1, new_count: Number.MAX_SAFE_INTEGER }])

function unchanged(path: string): FileChange {
  return { old_path: path, new_path: path, is_changed: false, map: lineMap([]) }
}

function memoized<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (key) => {
    const found = known.get(key) ?? read(key)
    known.set(key, found)
    return found
  }
}
