/** Commits that the index of code reads while its server may die, and whether it finds what the branches have. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { openSegment } from '../../src/features/search/code-index/segment-reader.ts'
import type { ServerProcess } from './server-process.ts'
import { query } from './settled.ts'

/** A project whose files are replaced by each commit. */
export interface IndexedProject {
  id: number
  paths: string[]
  /** The word of each file; several where the answer to a commit was lost. */
  words: Map<string, string[]>
  /** Words that no file has any more. */
  gone: string[]
  commits: number
}

export function indexedProject(id: number, files: number): IndexedProject {
  const paths = Array.from({ length: files }, (_, file) => `part-${file % 7}/file-${file}.txt`)
  return { id, paths, words: new Map(paths.map((path) => [path, []])), gone: [], commits: 0 }
}

/** Replaces all files of the project, and tells whether that was acknowledged. The first has to be. */
export async function commitTo(server: ServerProcess, project: IndexedProject): Promise<boolean> {
  const { id, paths, words } = project
  const round = ++project.commits
  const wordOf = (path: string) => `w${round}x${id}x${paths.indexOf(path)}end`
  const actions = paths.map((file_path) => ({
    action: round > 1 ? 'update' : 'create',
    file_path,
    content: `${wordOf(file_path)}\n${`line of ${file_path} in round ${round}\n`.repeat(60)}`,
  }))
  const before = [...words.values()].flat()
  for (const path of paths) words.get(path)?.push(wordOf(path))
  const body = { branch: 'main', commit_message: `Round ${round}`, actions }
  const answer = await server.send('POST', `/projects/${id}/repository/commits`, body)
  await answer.arrayBuffer()
  if (answer.status !== 201) return false
  project.gone.push(...before)
  for (const path of paths) words.set(path, [wordOf(path)])
  return true
}

/** Until no push is to be read, nor a merge of segments to be done. */
export async function indexed(home: string): Promise<void> {
  const isBusy = () =>
    query(home, async (db) => {
      const behind = await db.selectFrom('code_projects').select('project_id').whereRef('wanted', '>', 'done').execute()
      const jobs = await db
        .selectFrom('jobs')
        .select('id')
        .where('name', 'in', ['code_index.update', 'code_index.merge'])
        .where('state', '!=', 'dead')
        .execute()
      return behind.length + jobs.length > 0
    })
  while (await isBusy()) await setTimeout(100)
}

async function found(server: ServerProcess, word: string): Promise<Array<{ project_id: number; path: string }>> {
  const answer = await server.send('GET', `/search?scope=blobs&search=${word}`)
  expect(answer.headers.get('x-search-projects-behind')).toBeNull()
  return (await answer.json()) as Array<{ project_id: number; path: string }>
}

/** Every segment that has a row is whole on disk. */
export async function expectSegmentsWhole(home: string): Promise<void> {
  const segments = await query(home, (db) => db.selectFrom('code_segments').select(['file', 'bytes', 'docs']).execute())
  expect(segments.length).toBeGreaterThan(0)
  for (const { file, bytes, docs } of segments) {
    const path = join(home, 'code-index', file)
    expect((await stat(path)).size).toBe(bytes)
    const segment = await openSegment(path)
    expect([segment.docCount, segment.sections.size]).toEqual([docs, bytes])
    await segment.close()
  }
}

/** Of each project's files every `step`th is found by its word, and of the words that are gone every fifth of those is not. */
export async function expectFound(server: ServerProcess, projects: IndexedProject[], step: number): Promise<void> {
  for (const { id, words } of projects) {
    for (const [path, [word = '', ...others]] of [...words].filter((_, index) => index % step === 0)) {
      if (others.length === 0) expect([word, await found(server, word)]).toMatchObject([word, [{ project_id: id, path }]])
    }
  }
  const gone = projects.flatMap((project) => project.gone)
  for (const word of gone.filter((_, index) => index % (5 * step) === 0)) expect([word, await found(server, word)]).toEqual([word, []])
}
