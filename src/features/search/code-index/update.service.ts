/** Updates the index of one project to its default branch: by its changes, or by all its files. */
import { setImmediate as turn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import { inTransaction, oneAtATime } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { visitChanges } from '../../../git/diff/tree-changes.ts'
import { visitFiles } from '../../../git/objects/tree-sizes.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { defaultBranchOf } from '../../spaces/projects/projects.ts'
import { codeProject, deletePartsOf, insertSegment, type NewSegment, partsOfProject, setIndexed, setRemoved } from './code-index.queries.ts'
import { newName, segmentOf, writeSegment } from './files.ts'
import { segmentBuilder } from './segment-builder.ts'
import type { Doc } from './segment-format.ts'
import { readRange } from './segment-reader.ts'

/** Larger files are not indexed: they are rarely written by people. */
export const maxFile_bytes = 1024 * 1024
/** Text per segment, which is held in memory while it is built. */
const segment_bytes = 16 * 1024 * 1024
/** Text per project; further files are not indexed. */
const maxProject_bytes = 4 * 1024 ** 3
const deadline_ms = 10 * 60_000
const readAtOnce = 16
/** As in git, a file is binary if there is a NUL in its first bytes. */
const judged_bytes = 8_000

/** The lock for all changes of segments. */
export const indexLock = 'code index'

interface Content {
  segments: NewSegment[]
  /** Removed documents, by segment and first document of their part; null for all. */
  removed: Array<{ segment_id: number; first_doc: number; removed: number[] }> | null
}

/** True if there is more to do, because the branch has moved meanwhile. Idempotent. */
export async function updateIndex(app: App, project_id: number, stopping?: AbortSignal): Promise<void> {
  const known = await codeProject(app.db, project_id)
  if (!known) return
  const repo = endingWith(app.git.open(project_id), stopping)
  const branch = await defaultBranchOf(app.db, project_id)
  const tip = branch === null ? null : await resolveCommit(repo, `refs/heads/${branch}`)
  const content = await contentOf(app, repo, project_id, known.commit_oid, tip, stopping)
  await inTransaction(app.db, async (tx) => {
    await oneAtATime(tx, indexLock)
    const current = await codeProject(tx, project_id)
    // Another process has done the same meanwhile, or the project was deleted. The new files are removed like all without a row.
    if (!current || current.commit_oid !== known.commit_oid) return
    if (content.removed === null) await deletePartsOf(tx, project_id)
    for (const { segment_id, first_doc, removed } of content.removed ?? []) await setRemoved(tx, segment_id, first_doc, removed)
    for (const segment of content.segments) await insertSegment(tx, segment)
    await setIndexed(tx, project_id, tip, known.wanted)
  })
}

async function contentOf(
  app: App,
  repo: Repo,
  project_id: number,
  from: string | null,
  to: string | null,
  stopping: AbortSignal | undefined,
): Promise<Content> {
  if (to === null) return { segments: [], removed: null }
  if (from === to) return { segments: [], removed: [] }
  if (from !== null) {
    try {
      return await changedContent(app, repo, project_id, from, to, stopping)
    } catch (error) {
      // After a force push the commit may be gone, and after a restore the files of the index.
      if (stopping?.aborted || (error instanceof Failure && /^(storage_full|timed_out|busy)$/.test(error.code))) throw error
    }
  }
  const files: Doc[] = []
  let total_bytes = 0
  await visitFiles(repo, to, deadline_ms, ({ path, oid, size }) => {
    total_bytes += size > maxFile_bytes ? 0 : size
    if (size > 0 && size <= maxFile_bytes && total_bytes <= maxProject_bytes) files.push({ path, oid })
  })
  return { segments: await makeSegments(app, repo, project_id, files, stopping), removed: null }
}

async function changedContent(
  app: App,
  repo: Repo,
  project_id: number,
  from: string,
  to: string,
  stopping: AbortSignal | undefined,
): Promise<Content> {
  const changed = new Set<string>()
  const files: Doc[] = []
  await visitChanges(repo, from, to, ({ path, oid }) => {
    changed.add(path)
    if (oid !== null) files.push({ path, oid })
  })
  const removed: NonNullable<Content['removed']> = []
  for (const part of changed.size === 0 ? [] : await partsOfProject(app.db, project_id)) {
    const before = new Set(JSON.parse(part.removed) as number[])
    const gone = await docsAt(app, part, changed)
    for (const number of gone) before.add(number)
    if (gone.length > 0)
      removed.push({ segment_id: part.segment_id, first_doc: part.first_doc, removed: [...before].sort((a, b) => a - b) })
  }
  return { segments: await makeSegments(app, repo, project_id, files, stopping), removed }
}

const docsAtOnce = 5_000

/** The numbers of the documents of a part with one of the paths. */
async function docsAt(app: App, { file, first_doc, docs }: { file: string; first_doc: number; docs: number }, paths: Set<string>) {
  const segment = await segmentOf(app, file)
  const found: number[] = []
  for (let first = first_doc; first < first_doc + docs; first += docsAtOnce) {
    const some = await readRange(segment, first, Math.min(docsAtOnce, first_doc + docs - first))
    for (const [index, { path }] of some.entries()) if (paths.has(path)) found.push(first + index)
  }
  return found
}

/** Segments of the text files among these, each written and flushed. */
async function makeSegments(app: App, repo: Repo, project_id: number, files: Doc[], stopping?: AbortSignal): Promise<NewSegment[]> {
  const segments: NewSegment[] = []
  let builder = segmentBuilder()
  const flush = async () => {
    const docs = builder.docs.length
    if (docs === 0) return
    const file = newName()
    const content = builder.finish()
    const bytes = await writeSegment(app, file, (append) => append(content))
    segments.push({ file, bytes, docs, parts: [{ project_id, first_doc: 0, docs }] })
    builder = segmentBuilder()
  }
  for (let start = 0; start < files.length; start += readAtOnce) {
    stopping?.throwIfAborted()
    const some = files.slice(start, start + readAtOnce)
    const contents = await Promise.all(some.map(({ oid }) => readText(repo, oid)))
    for (const [index, content] of contents.entries()) {
      if (content) builder.add(some[index] as Doc, content)
      await turn()
    }
    if (builder.text_bytes >= segment_bytes) await flush()
  }
  await flush()
  return segments
}

/** The content of a text file; null if it isn't text, is too large, or is gone. */
async function readText(repo: Repo, oid: string): Promise<Buffer | null> {
  const info = await repo.git.objects.info(repo.dir, oid)
  if (info?.type !== 'blob' || info.size > maxFile_bytes) return null
  const data = (await repo.git.objects.contents(repo.dir, oid))?.data ?? null
  return data === null || data.subarray(0, judged_bytes).includes(0) ? null : data
}

/** The content of a file in the index: what `readText` gave then, as an object never changes. Null if it is gone. */
export async function readIndexed(repo: Repo, oid: string): Promise<Buffer | null> {
  return (await repo.git.objects.contents(repo.dir, oid))?.data ?? null
}
