/** Pages of a history: without a gap, whatever its shape; and what a search finds. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, seed } from '../../../test/support/git.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { commitsAhead, historyPage, searchHistory } from './history-page.ts'

let home: string
let git: Git
let repo: Repo
let processes = 0
const idOf = (revision: string) => realGit(repo.dir, 'rev-parse', revision)

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-pages-'))
  git = await openGit(home, {
    by_fork_server: true,
    onSpawn: () => {
      processes += 1
    },
  })
  repo = git.open(1)
  await createRepository(repo, 'main')
  await seed(
    repo.dir,
    Array.from({ length: 60 }, (_, n) => ({ branch: n % 3 === 0 ? 'side' : 'main', files: { [`f${n % 4}`]: `${n}` } })),
  )
  const tree = await idOf('main^{tree}')
  const merge = await realGit(repo.dir, 'commit-tree', tree, '-p', 'main', '-p', 'side', '-m', 'Merge')
  await realGit(repo.dir, 'update-ref', 'refs/heads/main', merge)
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

test.each(['', 'f0', 'f1', 'missing'])('pages of a merged history of %j have every commit once', async (path) => {
  const found: string[] = []
  let next = [await idOf('main')]
  while (next.length > 0) {
    const page = await historyPage(repo, next, path, 7)
    found.push(...page.commits.map(({ oid }) => oid))
    next = page.commits.length < 7 ? [] : page.next
  }
  const wanted = await realGit(repo.dir, 'rev-list', 'main', '--', ...(path === '' ? [] : [path]))
  expect([...found].sort()).toEqual(wanted.split('\n').filter(Boolean).sort())
})

test('a page costs one process however far it is, and none when it is cached', async () => {
  const tip = await idOf('main')
  const { next } = await historyPage(repo, [tip], '', 10)
  processes = 0
  await historyPage(repo, next, '', 10)
  expect(processes).toBe(1)
  await historyPage(repo, next, '', 10)
  expect(processes).toBe(1)
})

test('a path that leaves the repository, and one that looks like a pattern or an option, have no commits', async () => {
  const tip = await idOf('main')
  for (const path of ['../f0', 'f*', ':(glob)**', '--all', ':/'])
    expect([path, (await historyPage(repo, [tip], path, 5)).commits]).toEqual([path, []])
})

test('a search takes its words as they are, and says whether there is more', async () => {
  const from = await idOf('main')
  const titles = async (search: string, limit = 100) => {
    const { commits, more } = await searchHistory(repo, { from, path: '', search }, { limit, offset: 0 })
    return [commits.length, more]
  }
  expect([await titles('commit 1'), await titles('commit', 10), await titles('c.mmit'), await titles('--all'), await titles('')]).toEqual([
    [11, false],
    [10, true],
    [0, false],
    [0, false],
    [61, false],
  ])
})

test('the commits ahead are the newest, and cut where there are more', async () => {
  const [main, side] = [await idOf('main'), await idOf('side')]
  const few = await commitsAhead(repo, side, main, 5)
  expect([few.commits.length, few.more, few.commits[0]?.oid]).toEqual([5, true, main])
  expect(await commitsAhead(repo, main, side, 5)).toEqual({ commits: [], more: false })
})
