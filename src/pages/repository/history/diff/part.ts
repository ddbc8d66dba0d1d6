/** Reads the part of a diff that a page shows, with limits of files and lines, and finds where the next part begins. */
import { setImmediate as turn } from 'node:timers/promises'
import { notFound } from '../../../../failure.ts'
import { type ChangedFile, type ChangedFiles, changedFiles } from '../../../../git/diff/changed-files.ts'
import { type DiffPage, type DiffStyle, diffRange } from '../../../../git/diff/diff.ts'
import type { FileDiff } from '../../../../git/diff/diff-reader.ts'
import { type DiffRow, rowsOf } from '../../../../git/diff/hunks.ts'
import type { Repo } from '../../../../git/repository/repository.ts'
import type { DiffOptions } from './options.ts'

/** The commit ids to compare; `from` is null for the whole content of `to`. */
export interface DiffRange {
  repo: Repo
  from: string | null
  to: string
}

export interface ShownFile {
  /** Its place in the diff, from 1. */
  number: number
  diff: FileDiff
  /** Null for a file beyond those that are listed. */
  change: ChangedFile | null
  /** The rows of this part; null if the file is collapsed. */
  rows: DiffRow[] | null
  /** The row after them; null at the end of the file. */
  nextRow: number | null
}

export interface DiffPart {
  changed: ChangedFiles
  files: ShownFile[]
  /** The first file of the next part; null at the end. */
  next: number | null
}

/** Per page. */
export const maxFiles = 100
export const maxLines = 3_000
/** A file with more changed lines is collapsed. */
const maxFileLines = 1_000

/** Two processes, one for the summary and one for the patches; both cached. */
export async function readPart({ repo, from, to }: DiffRange, options: DiffOptions): Promise<DiffPart> {
  const ignore_space = options.w === '1'
  const changed = await changedFiles(repo, from, to, ignore_space)
  if (options.file > Math.max(changed.total, 1)) throw notFound('File')
  const skipped = new Set(changed.files.flatMap(({ only_spaces }, index) => (only_spaces ? [index] : [])))
  const style: DiffStyle = { ignore_space, skipped }
  if (changed.total === 0) return { changed, files: [], next: null }
  if (options.only) return { changed, files: [await oneFile({ repo, from, to }, options, changed, style)], next: null }
  const offset = options.file - 1
  const page = await diffRange(repo, from, to, { limit: filesFrom(changed.files, offset), offset }, style)
  const { files, next } = await cutPart(page, changed, offset)
  return { changed, files, next: next !== null && next <= changed.total ? next : null }
}

/** The number of files from `offset` whose lines fit on a page. */
function filesFrom(files: readonly ChangedFile[], offset: number): number {
  let [count, lines] = [0, 0]
  while (count < maxFiles && lines < maxLines) {
    const file = files[offset + count]
    count += 1
    const changed = (file?.additions ?? 0) + (file?.deletions ?? 0)
    if (changed <= maxFileLines) lines += changed
  }
  return count
}

async function cutPart({ rows: diffs }: DiffPage, { files: listed }: ChangedFiles, offset: number) {
  const files: ShownFile[] = []
  let lines = 0
  for (const [index, diff] of diffs.entries()) {
    const change = listed[offset + index] ?? null
    const isFolded = (change?.additions ?? 0) + (change?.deletions ?? 0) > maxFileLines
    const all = isFolded ? null : [...rowsOf(diff.patch)]
    const rows = all && all.length > 2 * maxFileLines ? null : all
    if (files.length > 0 && lines + (rows?.length ?? 0) > maxLines) return { files, next: offset + index + 1 }
    lines += rows?.length ?? 0
    files.push({ number: offset + index + 1, diff, change, rows, nextRow: null })
    // Yields to other requests between files.
    await turn()
  }
  return { files, next: offset + diffs.length + 1 }
}

/** Only this file, from a row on, with as many lines around its changes as requested. */
async function oneFile({ repo, from, to }: DiffRange, options: DiffOptions, { files }: ChangedFiles, style: DiffStyle): Promise<ShownFile> {
  const change = files[options.file - 1] ?? null
  const paths = change ? [...new Set([change.old_path, change.new_path])] : []
  const alone = change !== null && (!change.only_spaces || style.ignore_space !== true)
  // With its paths, git looks at nothing else; a file beyond those listed is found by its place.
  const { rows: diffs } = alone
    ? await diffRange(
        repo,
        from,
        to,
        { limit: 2, offset: 0 },
        { ignore_space: style.ignore_space ?? false, context: options.context, paths },
      )
    : await diffRange(repo, from, to, { limit: 1, offset: options.file - 1 }, { ...style, context: options.context })
  const diff = (alone && diffs.find(({ new_path }) => new_path === change?.new_path)) || diffs[0]
  if (!diff) throw notFound('File')
  const rows: DiffRow[] = []
  let [at, more] = [0, false]
  for (const row of rowsOf(diff.patch)) {
    at += 1
    if (at < options.row) continue
    if (rows.length === maxLines) {
      more = true
      break
    }
    rows.push(row)
  }
  return { number: options.file, diff, change, rows, nextRow: more ? at : null }
}
