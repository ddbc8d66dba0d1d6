/** Searches all code that a user may read: the index selects candidate files, whose blobs are then verified. */
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { foldCase } from '../../../db/fold-case.ts'
import { invalid } from '../../../failure.ts'
import type { Rows } from '../../../http/reply/page.ts'
import { type CodeHit, type CodeQuery, context_lines, incomplete, isAskable, maxHits, parseCodeQuery } from '../code-search/code-search.ts'
import { countBehind, indexedCommits, type Part, removedDocs, visibleParts } from './code-index.queries.ts'
import { segmentOf } from './files.ts'
import type { Doc } from './segment-format.ts'
import type { Segment } from './segment-reader.ts'
import { trigramsOf } from './trigrams.ts'
import { readText } from './update.service.ts'

/** A file that may contain the text. */
interface Candidate extends Doc {
  project_id: number
}

/** Limits per search of files to read and of time: the page shows what was found until then. */
const maxFiles = 400
const maxTime_ms = 5_000
const readAtOnce = 16

/**
 * One page of hits in default branches, the last indexed first; at most a hundred. The total is the number found so far, plus one if there
 * are more. Headers contain the number of projects whose index is behind, and whether files were left unread. Throws 400 for a text without
 * three consecutive characters.
 * @param groupId null for everything
 */
export async function searchIndex(
  app: App,
  viewer: Viewer,
  groupId: number | null,
  search: string,
  page: { limit: number; offset: number },
): Promise<Rows<CodeHit>> {
  const query = parseCodeQuery(search)
  const trigrams = trigramsOf([...(query.text === '' ? [] : [query.text]), ...query.literals])
  if (!isAskable(query) || trigrams.length === 0) throw invalid('Search for at least 3 characters')
  const wanted = Math.min(page.offset + page.limit + 1, maxHits)
  const hits: CodeHit[] = []
  const until = Date.now() + maxTime_ms
  let files = 0
  let isWhole = true
  const parts = await visibleParts(app.db, viewer, groupId)
  for await (const candidates of candidatesIn(app, parts, trigrams, query)) {
    const found = await Promise.all(candidates.map((candidate) => verify(app, candidate, query)))
    hits.push(...found.flat())
    files += candidates.length
    isWhole = files < maxFiles && Date.now() <= until
    if (hits.length >= wanted || !isWhole) break
  }
  const rows = hits.slice(page.offset, Math.min(page.offset + page.limit, maxHits))
  const commits = await indexedCommits(app.db, [...new Set(rows.map(({ project_id }) => project_id))])
  const behind = await countBehind(app.db, viewer, groupId)
  const headers: Record<string, string> = {
    ...(behind > 0 && { 'x-search-projects-behind': String(behind) }),
    ...((!isWhole || hits.length > maxHits) && incomplete),
  }
  const shown = rows.map((row) => ({ ...row, ref: commits.get(row.project_id) ?? '' }))
  return { rows: shown, total: Math.min(hits.length, maxHits), headers }
}

/** Segment by segment, a few concurrently; the newest segments first. */
async function* candidatesIn(app: App, parts: Part[], trigrams: number[], { keeps }: CodeQuery): AsyncGenerator<Candidate[]> {
  for (const [id, some] of bySegment(parts)) {
    const segment = await segmentOf(app, (some[0] as Part).file).catch(() => null)
    // It was merged into another one or lost since the list was read; the periodic job repairs that.
    if (!segment) continue
    const docs = await docsWithAll(segment, trigrams)
    if (docs.length === 0) continue
    const removed = await removedDocs(app.db, id)
    const live = ofParts(docs, some, removed)
    for (let start = 0; start < live.length; start += readAtOnce) {
      const batch = live.slice(start, start + readAtOnce)
      const read = await segment.readDocs(batch.map(({ doc }) => doc))
      const kept = read.flatMap((doc, index) =>
        keeps(doc.path) ? [{ path: doc.path, oid: doc.oid, project_id: batch[index]?.project_id as number }] : [],
      )
      if (kept.length > 0) yield kept
    }
  }
}

function bySegment(parts: Part[]): Map<number, Part[]> {
  const grouped = new Map<number, Part[]>()
  for (const part of parts) {
    const some = grouped.get(part.segment_id)
    if (some) some.push(part)
    else grouped.set(part.segment_id, [part])
  }
  return grouped
}

/** Reading a file takes as long as reading this many bytes of the index. */
const fileCosts_bytes = 20_000

/** The documents with all trigrams, or some others if reading these is faster than reading the index. */
async function docsWithAll(segment: Segment, trigrams: number[]): Promise<Uint32Array> {
  const found = await Promise.all(trigrams.map((trigram) => segment.find(trigram)))
  if (found.includes(null)) return new Uint32Array(0)
  const postings = found.flatMap((posting) => posting ?? []).sort((a, b) => a.length - b.length)
  let docs: Uint32Array | null = null
  for (const posting of postings) {
    if (docs && posting.length > docs.length * fileCosts_bytes) break
    const these = await segment.docsOf(posting)
    docs = docs ? inBoth(docs, these) : these
    if (docs.length === 0) break
  }
  return docs ?? new Uint32Array(0)
}

function inBoth(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(a.length, b.length))
  let [count, i, j] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i] as number, b[j] as number]
    if (x === y) {
      both[count] = x
      count += 1
    }
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return both.subarray(0, count)
}

/** Those documents that are in one of the parts and still in the branch. Both are sorted. */
function ofParts(docs: Uint32Array, parts: Part[], removed: Map<number, Set<number>>): Array<{ doc: number; project_id: number }> {
  const found: Array<{ doc: number; project_id: number }> = []
  let at = 0
  for (const doc of docs) {
    while (at < parts.length && (parts[at] as Part).first_doc + (parts[at] as Part).docs <= doc) at += 1
    const part = parts[at]
    if (!part) break
    if (doc >= part.first_doc && !removed.get(part.first_doc)?.has(doc)) found.push({ doc, project_id: part.project_id })
  }
  return found
}

/** The hits in one file, by its content, or else by its path. */
async function verify(app: App, { project_id, path, oid }: Candidate, query: CodeQuery): Promise<CodeHit[]> {
  const text = foldCase(query.text)
  const content = await readText(app.git.open(project_id), oid)
  if (content === null) return []
  const lines = content.toString('utf8').split('\n')
  const at = { path, project_id, ref: '' }
  const pieces = text === '' ? [] : piecesOf(lines, text)
  if (pieces.length > 0) return pieces.map((piece) => ({ ...at, ...piece, oid: null }))
  if (!foldCase(path).includes(text)) return []
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

const maxLine_chars = 2_000
const shortened = (line: string) => `${line.slice(0, maxLine_chars)}\n`

/** The lines that contain the text, with their neighbors; adjacent ones are merged. */
export function piecesOf(lines: string[], text: string): Array<{ startline: number; data: string }> {
  const pieces: Array<{ first: number; last: number }> = []
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length
  for (let index = 0; index < end; index += 1) {
    if (!foldCase(lines[index] as string).includes(text)) continue
    const [first, last] = [Math.max(index - context_lines, 0), Math.min(index + context_lines, end - 1)]
    const before = pieces.at(-1)
    if (before && first <= before.last + 1) before.last = last
    else pieces.push({ first, last })
  }
  return pieces.map(({ first, last }) => ({
    startline: first + 1,
    data: lines
      .slice(first, last + 1)
      .map(shortened)
      .join(''),
  }))
}
