/** Searches all code that a user may read: the index selects candidate files, whose blobs are then verified. */
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { invalid } from '../../../failure.ts'
import type { Rows } from '../../../http/reply/page.ts'
import { type CodeHit, type CodeQuery, incomplete, isAskable, maxHits, type Needs, parseCodeQuery } from '../code-search/code-search.ts'
import { countBehind, indexedCommits, type Part, removedDocs, visibleParts, type Within } from './code-index.queries.ts'
import { segmentOf } from './files.ts'
import { areExceeded, type Bounds, type Candidate, hitsIn } from './hits.ts'
import type { Segment } from './segment-reader.ts'

/** Limits for one search. A page shows the hits up to the first limit that was reached. */
const maxFiles = 400
const maxRead_bytes = 64 * 1024 * 1024
const maxTime_ms = 5_000
const readAtOnce = 16

const anyFile = 'Search for a regular expression with at least 3 characters in a row that stand in every match'

export interface IndexSearch {
  text: string
  /** Whether the text is a regular expression. */
  regex?: boolean | undefined
}

/**
 * One page of the hits in default branches, the last indexed first; at most a hundred are told. The total is what was found so far: one
 * more than shown where there are more. Headers tell of how many projects the index is behind, and whether files were left unread. Throws 400
 * for an invalid regular expression, and for what may be in any file: without three characters in a row.
 */
export async function searchIndex(
  app: App,
  viewer: Viewer,
  within: Within,
  { text, regex }: IndexSearch,
  page: { limit: number; offset: number },
): Promise<Rows<CodeHit>> {
  const query = parseCodeQuery(text, { regex })
  const { need } = query
  if (!isAskable(query) || need === null) throw invalid(regex ? anyFile : 'Search for at least 3 characters')
  const wanted = Math.min(page.offset + page.limit + 1, maxHits)
  const hits: CodeHit[] = []
  const bounds: Bounds = { until: Date.now() + maxTime_ms, left_bytes: maxRead_bytes, left_files: maxFiles }
  const parts = await visibleParts(app.db, viewer, within)
  for await (const candidates of candidatesIn(app, parts, need, query)) {
    const found = await Promise.all(candidates.map((candidate) => hitsIn(app, candidate, query, bounds)))
    hits.push(...found.flat())
    if (hits.length >= wanted || areExceeded(bounds)) break
  }
  const rows = hits.slice(page.offset, Math.min(page.offset + page.limit, maxHits))
  const commits = await indexedCommits(app.db, [...new Set(rows.map(({ project_id }) => project_id))])
  const behind = await countBehind(app.db, viewer, within)
  const headers: Record<string, string> = {
    ...(behind > 0 && { 'x-search-projects-behind': String(behind) }),
    ...((areExceeded(bounds) || hits.length > maxHits) && incomplete),
  }
  const shown = rows.map((row) => ({ ...row, ref: commits.get(row.project_id) ?? '' }))
  return { rows: shown, total: Math.min(hits.length, maxHits), headers }
}

/** Yields a few candidates at once, the newest segments first. Where none fit it yields an empty list, so that callers check the time. */
async function* candidatesIn(app: App, parts: Part[], need: Needs, { keeps }: CodeQuery): AsyncGenerator<Candidate[]> {
  for (const [id, some] of bySegment(parts)) {
    const segment = await segmentOf(app, (some[0] as Part).file).catch(() => null)
    // It was merged into another one or lost since the list was read; the periodic job repairs that.
    if (!segment) continue
    const docs = await docsWith(segment, need)
    if (docs.length === 0) {
      yield []
      continue
    }
    const removed = await removedDocs(app.db, id)
    const live = ofParts(docs, some, removed)
    for (let start = 0; start < live.length; start += readAtOnce) {
      const batch = live.slice(start, start + readAtOnce)
      const read = await segment.readDocs(batch.map(({ doc }) => doc))
      const kept = read.flatMap((doc, index) =>
        keeps(doc.path) ? [{ path: doc.path, oid: doc.oid, project_id: batch[index]?.project_id as number }] : [],
      )
      yield kept
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

/** The documents that have what is needed, or some more. */
async function docsWith(segment: Segment, { trigrams, choices }: Needs): Promise<Uint32Array> {
  let docs = trigrams.length > 0 ? await docsWithAll(segment, trigrams) : null
  for (const choice of choices) {
    if (docs?.length === 0) break
    const these = inAny(await Promise.all(choice.map((needs) => docsWith(segment, needs))))
    docs = docs ? inBoth(docs, these) : these
  }
  return docs ?? new Uint32Array(0)
}

function inAny(found: Uint32Array[]): Uint32Array {
  const [only, ...others] = found
  return only && others.length === 0 ? only : Uint32Array.from(new Set(found.flatMap((docs) => [...docs]))).sort()
}

/** To read a file takes as long as to read so many bytes of the index. */
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

/** The documents that are in one of the parts and still in the branch. Both are sorted. */
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
