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

/** With the line itself. */
const shownLines = 4
/** Of one page: each may cost a process. */
const maxFiles = 30
const coloursDeadline_ms = 400

interface Place {
  note: number
  position: TextPosition
}

/** By the ids of the notes. One process for each file of each version that is discussed, cached. */
export async function codeAbove(
  repo: Repo,
  openings: readonly Pick<Note, 'id' | 'position' | 'original_position'>[],
): Promise<Map<number, Html>> {
  const files = new Map<string, Place[]>()
  for (const { id, position, original_position } of openings) {
    const text = original_position ?? position
    const place = text === null ? null : positionOf(text)
    if (place?.position_type !== 'text') continue
    const key = [place.base_sha, place.head_sha, place.old_path, place.new_path].join('\0')
    files.set(key, [...(files.get(key) ?? []), { note: id, position: place }])
  }
  const found = new Map<number, Html>()
  const ends_at = Date.now() + coloursDeadline_ms
  for (const places of [...files.values()].slice(0, maxFiles)) {
    const [first] = places
    const diff = first && (await diffAt(repo, first.position))
    if (!diff) continue
    const rows = [...rowsOf(diff.patch)]
    const colours = await coloursOf(repo, diff, Math.max(1, ends_at - Date.now()))
    for (const { note, position } of places) {
      const shown = linesAt(rows, position)
      if (shown.length === 0) continue
      // No id of the page begins with that number: files of a diff are counted from 1.
      found.set(note, html`<table class="diff u said-about"><tbody>${unifiedRows(shown, { file: -note, colours })}</tbody></table>`)
    }
  }
  return found
}

/** Null where it can't be read: its commits may be gone, or it takes too long. */
async function diffAt(repo: Repo, { base_sha, head_sha, old_path, new_path }: TextPosition): Promise<FileDiff | null> {
  const paths = [...new Set([old_path, new_path])]
  try {
    const { rows } = await diffRange(repo, base_sha, head_sha, { limit: 2, offset: 0 }, { paths })
    return rows.find((diff) => diff.new_path === new_path) ?? null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** Both sides of a hunk up to the line; none where the diff doesn't show it. */
function linesAt(rows: readonly DiffRow[], { old_line, new_line }: TextPosition): DiffRow[] {
  const at = rows.findIndex((row) => isLine(row) && (new_line === null ? row.old_line === old_line : row.new_line === new_line))
  if (at < 0) return []
  const before = rows.slice(Math.max(0, at - shownLines + 1), at + 1)
  return before.slice(before.findLastIndex((row) => !isLine(row)) + 1)
}

function isLine({ kind }: DiffRow): boolean {
  return kind !== 'hunk' && kind !== 'end'
}

async function coloursOf(repo: Repo, { old_oid, new_oid, old_path, new_path }: FileDiff, deadline_ms: number) {
  const sides = [
    { oid: old_oid, path: old_path },
    { oid: new_oid, path: new_path },
  ]
  const found = await highlightBlobs(
    repo,
    sides.filter(({ oid }) => !/^0+$/.test(oid)),
    { deadline_ms },
  )
  return { old: found.get(old_oid)?.lines ?? null, new: found.get(new_oid)?.lines ?? null }
}
