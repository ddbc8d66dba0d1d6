/**
 * Conflicts of two branches in the form in which people resolve them: the text of each file with markers, its sections, and the commit of
 * the result.
 */
import { inQuarantine, inScratch } from '../objects/quarantine.ts'
import { textIn } from '../objects/text.ts'
import { type Repo, run } from '../repository/repository.ts'
import { type FileMode, writeCommit } from './fast-import.ts'
import type { MergeCommit, MergeSides } from './merge.ts'
import { type ConflictedPath, type MergedTree, mergeTreeOf } from './merge-tree.ts'

/** Why a file can't be resolved as text. */
export type Unresolvable =
  /** One side has deleted or renamed the file, or has a folder in its place. */
  'missing side' | 'not a file' | 'binary' | 'too large'

export interface ConflictedFile extends ConflictedPath {
  /** Text with conflict markers; null if `reason` says why it can't be resolved as text. */
  content: string | null
  reason: Unresolvable | null
}

export type Section =
  | { kind: 'common'; lines: string[] }
  /** The lines of both sides. */
  | { kind: 'conflict'; ours: string[]; theirs: string[] }

/** A larger file is too long for a text field. */
const maxFile_bytes = 200 * 1024
/** Maximum number of files whose text is read. */
const maxFiles = 100

/** Every conflicting path between two commits; null if they have no common history. Nothing is stored. Two processes. */
export function conflictsBetween(repo: Repo, { ours, theirs }: MergeSides): Promise<ConflictedFile[] | null> {
  return inScratch(repo, async (env) => {
    const merged = await mergeTreeOf(repo, env, ours, theirs)
    if (merged === null) return null
    const files = merged.conflicts.map((conflict, index) => ({ ...conflict, reason: index < maxFiles ? reasonOf(conflict) : 'too large' }))
    const texts = await readTexts(
      repo,
      env,
      merged.tree,
      files.filter(({ reason }) => reason === null),
    )
    return files.map((file): ConflictedFile => {
      const text = texts.get(file.path)
      if (file.reason !== null || typeof text === 'string') return { ...file, content: null, reason: (file.reason ?? text) as Unresolvable }
      return { ...file, content: text?.toString('utf8') ?? null, reason: text ? null : 'binary' }
    })
  })
}

function reasonOf({ path, ours, theirs }: ConflictedPath): Unresolvable | null {
  if (ours === null || theirs === null) return 'missing side'
  if (![ours, theirs].every(({ mode }) => mode.startsWith('100'))) return 'not a file'
  // A path with a newline can't be requested line by line.
  return path.includes('\n') ? 'not a file' : null
}

/** The texts of the files of a tree by path, or the reason why one has none. */
async function readTexts(
  repo: Repo,
  env: Record<string, string>,
  tree: string,
  files: ConflictedPath[],
): Promise<Map<string, Buffer | Unresolvable>> {
  const texts = new Map<string, Buffer | Unresolvable>()
  if (files.length === 0) return texts
  const paths = files.map(({ path }) => path)
  const ask = (format: string, some: string[]) =>
    run(repo, ['cat-file', format], { env, input: some.map((path) => `${tree}:${path}\n`).join('') })
  const merged = (await ask('--batch-check=%(objecttype) %(objectsize) %(objectname)', paths)).toString('utf8').split('\n')
  const readable = paths.filter((path, index) => {
    const [, size, oid] = /^blob (\d+) ([0-9a-f]+)$/.exec(merged[index] ?? '') ?? []
    const { ours, theirs } = files[index] ?? {}
    if (size === undefined) texts.set(path, 'not a file')
    // Because of its attributes or its bytes, git took one side: there are no markers, and nobody has chosen a side.
    else if (oid === ours?.oid && oid !== theirs?.oid) texts.set(path, 'binary')
    else if (Number(size) > maxFile_bytes) texts.set(path, 'too large')
    return !texts.has(path)
  })
  if (readable.length === 0) return texts
  const output = await ask('--batch=%(objectsize)', readable)
  let at = 0
  for (const path of readable) {
    const newline = output.indexOf(10, at)
    const size = Number(output.toString('latin1', at, newline))
    const data = output.subarray(newline + 1, newline + 1 + size)
    texts.set(path, textIn(data) === null ? 'binary' : data)
    at = newline + 1 + size + 1
  }
  return texts
}

/**
 * The sections of a text with conflict markers of a merge of these commits; null if lines of the file itself look like markers, so that
 * they are ambiguous.
 */
export function sectionsOf(content: string, { ours, theirs }: MergeSides): Section[] | null {
  const lines = content.replace(/\n$/, '').split('\n')
  const markers = lines.map(markersOf(lines, { ours, theirs }))
  const sections: Section[] = []
  for (let at = 0; at < lines.length; ) {
    const start = markers.indexOf('start', at)
    if (start === at) {
      const end = markers.indexOf('end', at)
      const between = markers.slice(start + 1, Math.max(end, 0)).filter((marker) => marker !== null)
      if (between.length !== 1 || between[0] !== 'middle') return null
      const middle = markers.indexOf('middle', start)
      sections.push({ kind: 'conflict', ours: lines.slice(start + 1, middle), theirs: lines.slice(middle + 1, end) })
      at = end + 1
    } else {
      const next = start < 0 ? lines.length : start
      if (markers.slice(at, next).includes('end')) return null
      sections.push({ kind: 'common', lines: lines.slice(at, next) })
      at = next
    }
  }
  return sections
}

/** The text with these names in the markers instead of commit ids. */
export function withMarkers(content: string, { ours, theirs }: MergeSides, names: Record<'ours' | 'theirs', string>): string {
  const lines = content.split('\n')
  const markerOf = markersOf(lines, { ours, theirs })
  const named = lines.map((line) => {
    const marker = markerOf(line)
    if (marker === 'start') return line.replace(ours, () => names.ours)
    return marker === 'end' ? line.replace(theirs, () => names.theirs) : line
  })
  return named.join('\n')
}

const usualSize = 7

/**
 * Finds the markers of a text. Their length depends on the attribute `conflict-marker-size`. A path may follow the label if it differs
 * between the sides. A carriage return is a part of the file.
 */
function markersOf(lines: string[], { ours, theirs }: MergeSides): (text: string) => 'start' | 'middle' | 'end' | null {
  const isLabeled = (line: string, marker: string, label: string) => line === `${marker} ${label}` || line.startsWith(`${marker} ${label}:`)
  const first = lines.find((line) => line.startsWith('<') && isLabeled(line.replace(/^<+|\r$/g, ''), '', ours))
  const size = first ? first.search(/[^<]/) : usualSize
  return (text) => {
    const line = text.replace(/\r$/, '')
    if (line === '='.repeat(size)) return 'middle'
    if (isLabeled(line, '<'.repeat(size), ours)) return 'start'
    return isLabeled(line, '>'.repeat(size), theirs) ? 'end' : null
  }
}

export type Resolution =
  | { kind: 'done'; oid: string }
  /** Conflicting paths for which no content was given, or which can't be resolved this way. */
  | { kind: 'unresolved'; paths: string[] }
  | { kind: 'unrelated' }

/**
 * Writes the commit that merges `theirs` into `ours`, with these contents for the conflicting files. No ref points to it yet.
 * @param contents by path; each conflicting path needs one, other paths are ignored
 */
export async function writeResolvedMerge(
  repo: Repo,
  { ours, theirs }: MergeSides,
  contents: Map<string, Buffer>,
  commit: MergeCommit,
): Promise<Resolution> {
  const merged: MergedTree | null = await inQuarantine(repo, (env) => mergeTreeOf(repo, env, ours, theirs))
  if (merged === null) return { kind: 'unrelated' }
  const open = merged.conflicts.filter((conflict) => !contents.has(conflict.path) || reasonOf(conflict) !== null)
  if (open.length > 0) return { kind: 'unresolved', paths: open.map(({ path }) => path) }
  const changes = merged.conflicts.map((conflict) => {
    const mode: FileMode = conflict.ours?.mode === '100755' ? '100755' : '100644'
    return { kind: 'write' as const, path: conflict.path, mode, content: () => contents.get(conflict.path) ?? Buffer.alloc(0) }
  })
  return { kind: 'done', oid: await writeCommit(repo, { ...commit, parents: [ours, theirs], tree: merged.tree, changes }) }
}
