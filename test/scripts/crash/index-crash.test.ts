/** The index of code survives a server that dies while writing it: it repairs itself, and finds the content of the branches. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSegment } from '../../../src/features/search/code-index/segment-reader.ts'
import { engine } from '../../support/database.ts'
import { killGitBelow } from '../../support/git-processes.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { query } from './settled.ts'

const chance = chanceOf('kills of the index')

const rounds = 2 + Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
const projects = [1, 2, 3]
/** Files in each commit: reading them takes the indexer some tenths of a second. */
const files = 200

/** Words in the files of each project now, and in `gone` those of earlier commits. */
const live = new Map<number, Map<string, string>>(projects.map((id) => [id, new Map()]))
const gone: string[] = []

/** A commit that replaces all files of the project; what they have is recorded once it was answered. */
async function commitTo(server: ServerProcess, id: number, round: number): Promise<void> {
  const before = live.get(id) as Map<string, string>
  const paths = Array.from({ length: files }, (_, file) => `part-${file % 7}/file-${file}.txt`)
  const wordOf = (path: string) => `w${round}x${id}x${paths.indexOf(path)}end`
  const actions = paths.map((file_path) => ({
    action: before.size > 0 ? 'update' : 'create',
    file_path,
    content: `${wordOf(file_path)}\n${`line of ${file_path} in round ${round}\n`.repeat(60)}`,
  }))
  const answer = await server.send('POST', `/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: `Round ${round}`,
    actions,
  })
  expect(answer.status).toBe(201)
  await answer.arrayBuffer()
  gone.push(...before.values())
  live.set(id, new Map(paths.map((path) => [path, wordOf(path)])))
}

/** Until no push is to be read, nor a merge of segments to be done. */
async function indexed(home: string): Promise<void> {
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
async function expectWhole(home: string): Promise<void> {
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

test.skipIf(engine === 'postgres')(
  'after kill -9 while pushes are indexed the index finds each word of the branches where it is, and none that is gone',
  {
    ...inFullRun('10 s of processor. crash.test.ts kills a server among pushes, writes by the API and housekeeping.'),
    timeout: 120_000 + rounds * 30_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    for (const id of projects) expect((await server.send('POST', '/projects', { name: `indexed-${id}` })).status).toBe(201)
    for (let round = 0; round < rounds; round += 1) {
      for (const id of projects) await commitTo(server, id, round)
      await setTimeout(chance() * 600)
      await server.kill()
      if (round % 2 === 1) killGitBelow(home)
      server = await startServer({ home })
    }
    await indexed(home)
    await expectWhole(home)
    for (const [id, words] of live) {
      for (const [path, word] of [...words].filter((_, index) => index % 20 === 0)) {
        expect([word, await found(server, word)]).toMatchObject([word, [{ project_id: id, path }]])
      }
    }
    for (const word of gone.filter((_, index) => index % 100 === 0)) expect([word, await found(server, word)]).toEqual([word, []])
    expect(await server.stop()).toBe(0)
  },
)
