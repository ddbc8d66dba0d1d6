/** The lines of code that a discussion of the overview is about: the line itself and those before it, as they were when it began. */
import type { Note } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { highlightBlobs } from '../../../features/repository/highlighting/highlighting.ts'
import { positionOf, type TextPosition } from '../../../features/review/diff-notes/diff-notes.ts'
import { diffRange } from '../../../git/diff/diff.ts'
import type { FileDiff } from '../../../git/diff/diff-reader.ts'
import { type DiffRow, rowsOf } from '../../../git/diff/hunks.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { unifiedRows } from '../../repository/history/diff/lines.ts'
import { linesOf } from './note-positions.ts'

/** With the line itself; of several lines, more. */
const shownLines = 4
const maxShownLines = 10
/** Limit of a page: more pushes are seldom discussed at once, and each costs a process. */
const maxVersions = 10
/** Limit of paths of one version. */
const maxPaths = 100
const coloursDeadline_ms = 400

interface Place {
  note: number
  position: TextPosition
}

/** By the ids of the notes. One process for each version that is discussed, cached. */
export async function codeAbove(
  repo: Repo,
  openings: readonly Pick<Note, 'id' | 'position' | 'original_position'>[],
): Promise<Map<number, Html>> {
  const versions = new Map<string, Place[]>()
  for (const { id, position, original_position } of openings) {
    const text = original_position ?? position
    const place = text === null ? null : positionOf(text)
    if (place?.position_type !== 'text') continue
    const key = `${place.base_sha} ${place.head_sha}`
    versions.set(key, [...(versions.get(key) ?? []), { note: id, position: place }])
  }
  const found = new Map<number, Html>()
  const ends_at = Date.now() + coloursDeadline_ms
  for (const places of [...versions.values()].slice(0, maxVersions)) {
    const diffs = await diffsOf(repo, places)
    const rowsByFile = new Map(diffs.map((diff) => [diff.new_path, [...rowsOf(diff.patch)]]))
    const colours = await highlightBlobs(repo, sidesOf(diffs), { deadline_ms: Math.max(1, ends_at - Date.now()) })
    for (const { note, position } of places) {
      const diff = diffs.find(({ new_path }) => new_path === position.new_path)
      const shown = linesAt(rowsByFile.get(position.new_path) ?? [], position)
      if (!diff || shown.length === 0) continue
      const ofSides = { old: colours.get(diff.old_oid)?.lines ?? null, new: colours.get(diff.new_oid)?.lines ?? null }
      // No id of the page begins with that number: files of a diff are counted from 1.
      const rows = unifiedRows(shown, { file: -note, colours: ofSides })
      found.set(note, html`<table class="diff u said-about"><tbody>${rows}</tbody></table>`)
    }
  }
  return found
}

/** The files of one version that are discussed; none where they can't be read: its commits may be gone, or it takes too long. */
async function diffsOf(repo: Repo, places: readonly Place[]): Promise<FileDiff[]> {
  const [first] = places
  if (!first) return []
  const { base_sha, head_sha } = first.position
  const paths = [...new Set(places.flatMap(({ position: { old_path, new_path } }) => [old_path, new_path]))].slice(0, maxPaths)
  try {
    return (await diffRange(repo, base_sha, head_sha, { limit: paths.length, offset: 0 }, { paths })).rows
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

function sidesOf(diffs: readonly FileDiff[]) {
  const sides = diffs.flatMap(({ old_oid, new_oid, old_path, new_path }) => [
    { oid: old_oid, path: old_path },
    { oid: new_oid, path: new_path },
  ])
  return sides.filter(({ oid }) => !/^0+$/.test(oid))
}

/** Both sides of a hunk up to the line; none where the diff doesn't show it. */
function linesAt(rows: readonly DiffRow[], position: TextPosition): DiffRow[] {
  const { old_line, new_line } = position
  const { from, to } = linesOf(position)
  const shown = Math.min(maxShownLines, Math.max(shownLines, to - from + 1))
  const at = rows.findIndex((row) => isLine(row) && (new_line === null ? row.old_line === old_line : row.new_line === new_line))
  if (at < 0) return []
  const before = rows.slice(Math.max(0, at - shown + 1), at + 1)
  return before.slice(before.findLastIndex((row) => !isLine(row)) + 1)
}

function isLine({ kind }: DiffRow): boolean {
  return kind !== 'hunk' && kind !== 'end'
}
