import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, seed } from '../../../test/support/git.ts'
import { readCommits } from '../objects/read.ts'
import { findRef, listRefs, mergedBranches, repositorySize } from '../refs/refs.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { isAncestor } from './ancestry.ts'
import { type HistoryQuery, lastCommitOf, listCommits, parseNumstat, readStats } from './history.ts'

let home: string
let git: Git
let repo: Repo
let tip: string
const all = { limit: 100, offset: 0 }

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-history-'))
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
  await seed(repo.dir, [
    ...Array.from({ length: 12 }, (_, index) => ({
      message: `Commit ${index}`,
      time: 1_000 + index * 100,
      files: { [index % 3 === 0 ? 'dir/third.txt' : 'other.txt']: `line ${index}\n`.repeat(index + 1) },
    })),
    { message: 'Aside', branch: 'side', time: 5_000, files: { 'side.txt': 'side' } },
    { message: 'Odd names', time: 6_000, files: { '-n': 'x', ':(glob)*': 'y', 'with space': 'z' } },
  ])
  tip = (await resolveCommit(repo, 'main')) as string
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

const list = async (query: Partial<HistoryQuery>, page = all) => {
  const { rows, total } = await listCommits(repo, { from: tip, ...query }, page)
  return { titles: rows.map(({ message }) => message), total }
}

test('counts agree with git for every filter', async () => {
  const count = async (...args: string[]) => Number(await realGit(repo.dir, 'rev-list', '--count', ...args))
  expect((await list({})).total).toBe(await count(tip))
  expect((await list({ from: null })).total).toBe(await count('--all'))
  expect((await list({ path: 'dir' })).total).toBe(await count(tip, '--', 'dir'))
  expect((await list({ path: 'dir/third.txt', since: 1_300 })).total).toBe(await count('--max-age=1300', tip, '--', 'dir/third.txt'))
})

test('pages follow each other without a gap', async () => {
  const whole = (await list({})).titles
  const pages = await Promise.all([0, 5, 10, 15].map((offset) => list({}, { limit: 5, offset })))
  expect(pages.flatMap(({ titles }) => titles)).toEqual(whole)
  expect(pages.map(({ total }) => total)).toEqual([13, 13, 13, 13])
})

test('since and until include their own second', async () => {
  expect((await list({ since: 2_000, until: 2_100 })).titles).toEqual(['Commit 11', 'Commit 10'])
  expect((await list({ since: 2_001, until: 2_099 })).titles).toEqual([])
})

test('instants before 1970 and beyond 2038 work', async () => {
  for (const since of [-1, -5_000_000_000, 0]) expect([since, (await list({ since })).total]).toEqual([since, 13])
  for (const until of [2 ** 31, 2 ** 32 + 5, 253_402_300_799]) expect([until, (await list({ until })).total]).toEqual([until, 13])
  for (const since of [2 ** 31, 2 ** 32 + 5, 253_402_300_799]) expect([since, (await list({ since })).total]).toEqual([since, 0])
  for (const until of [-1, -5_000_000_000]) expect([until, (await list({ until })).total]).toEqual([until, 0])
})

test('paths are literal; an impossible path has no history', async () => {
  for (const path of ['-n', ':(glob)*', 'with space'])
    expect([path, await list({ path })]).toEqual([path, { titles: ['Odd names'], total: 1 }])
  for (const path of ['*', '../x', 'a/../b', '.', 'a\0b', 'nothing']) expect([path, (await list({ path })).total]).toEqual([path, 0])
  expect((await list({ path: '/' })).total).toBe(13)
})

test('the last commit of a path is that of git; of a path that never was there is none', async () => {
  for (const path of ['dir', 'dir/third.txt', 'other.txt', '-n', ':(glob)*']) {
    const expected = await realGit(repo.dir, '--literal-pathspecs', 'rev-list', '-1', tip, '--', path)
    expect([path, await lastCommitOf(repo, tip, path)]).toEqual([path, expected])
  }
  expect(await lastCommitOf(repo, tip, 'nothing')).toBeNull()
})

test('lines added and deleted are those of git, and a commit that changed nothing has none', async () => {
  const { rows } = await listCommits(repo, { from: tip }, all)
  const stats = await readStats(repo, rows)
  for (const { oid } of rows) {
    const shown = await realGit(repo.dir, 'show', '--numstat', '--format=', oid)
    const [additions, deletions] = [0, 1].map((column) =>
      shown.split('\n').reduce((sum, line) => sum + Number(line.split('\t')[column]), 0),
    )
    expect(stats.get(oid)).toEqual({ additions, deletions, total: (additions ?? 0) + (deletions ?? 0) })
  }
  const empty = await realGit(repo.dir, 'commit-tree', '-p', tip, '-m', 'empty', `${tip}^{tree}`)
  expect((await readStats(repo, await readCommits(repo, [empty]))).get(empty)).toEqual({ additions: 0, deletions: 0, total: 0 })
  expect(parseNumstat(`${tip}\n-\t-\tbinary\n3\t1\ttext\n`).get(tip)).toEqual({ additions: 3, deletions: 1, total: 4 })
})

test('an ancestor is one of itself and of what came after it', async () => {
  const [first, last] = [await realGit(repo.dir, 'rev-parse', 'main~5'), tip]
  const side = await realGit(repo.dir, 'rev-parse', 'side')
  expect(await Promise.all([isAncestor(repo, first, last), isAncestor(repo, last, first), isAncestor(repo, last, last)])).toEqual([
    true,
    false,
    true,
  ])
  expect(await isAncestor(repo, side, last)).toBe(false)
})

test('branches are listed and found by their whole name only', async () => {
  await realGit(repo.dir, 'branch', 'feature/one', 'main~3')
  expect((await listRefs(repo, 'heads')).map(({ name }) => name)).toEqual(['feature/one', 'main', 'side'])
  expect(await findRef(repo, 'heads', 'feature')).toBeNull()
  expect(await findRef(repo, 'heads', 'feature/one')).toMatchObject({
    name: 'feature/one',
    commit: await realGit(repo.dir, 'rev-parse', 'main~3'),
  })
  for (const name of ['', '-', '*', 'main*', 'MAIN', 'heads/main', '../heads/main', 'main\n'])
    expect([name, await findRef(repo, 'heads', name)]).toEqual([name, null])
  expect(await mergedBranches(repo, tip)).toEqual(new Set(['main', 'feature/one']))
})

test('a tag leads to its commit through any number of tags, and to none when it is one of something else', async () => {
  await realGit(repo.dir, 'tag', 'light', 'main~1')
  await realGit(repo.dir, 'tag', '-m', 'one', 'once', 'main~1')
  await realGit(repo.dir, 'tag', '-m', 'two', 'twice', 'once')
  await realGit(repo.dir, 'tag', '-m', 'three', 'thrice', 'twice')
  await realGit(repo.dir, 'tag', 'of-a-tree', 'main^{tree}')
  await realGit(repo.dir, 'tag', '-m', 'blob', 'of-a-blob', 'main:other.txt')
  const commit = await realGit(repo.dir, 'rev-parse', 'main~1')
  const committed_at = Number(await realGit(repo.dir, 'log', '-1', '--format=%ct', commit))
  const tags = await listRefs(repo, 'tags')
  expect(tags.map(({ name, commit, committed_at }) => [name, commit, committed_at])).toEqual([
    ['light', commit, committed_at],
    ['of-a-blob', null, 0],
    ['of-a-tree', null, 0],
    ['once', commit, committed_at],
    ['thrice', commit, committed_at],
    ['twice', commit, committed_at],
  ])
  expect(await findRef(repo, 'tags', 'thrice')).toEqual(tags[4])
})

test('the size on disk grows with what is stored', async () => {
  const before = await repositorySize(repo)
  await seed(repo.dir, [
    { branch: 'big', files: { 'big.bin': Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(Math.random() * 256))) } },
  ])
  expect((await repositorySize(repo)) - before).toBeGreaterThan(290_000)
})
