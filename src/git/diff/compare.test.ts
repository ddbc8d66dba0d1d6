import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, seed } from '../../../test/support/git.ts'
import { mergeBase } from '../history/merge-base.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { compareCommits, maxCommits, maxFiles } from './compare.ts'

let home: string
let git: Git
let repo: Repo
let processes = 0
const oidOf = (revision: string) => realGit(repo.dir, 'rev-parse', revision)

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-compare-'))
  git = await openGit(home, {
    by_fork_server: true,
    onSpawn: () => {
      processes += 1
    },
  })
  repo = git.open(1)
  await createRepository(repo, 'main')
  const wide = Object.fromEntries(Array.from({ length: maxFiles + 1 }, (_, index) => [`f${String(index).padStart(5, '0')}`, `${index}\n`]))
  await seed(repo.dir, [
    { files: { a: 'a\n' } },
    ...Array.from({ length: maxCommits + 1 }, (_, index) => ({ files: { a: `${index}\n` } })),
    { files: wide },
    { branch: 'other', files: { b: 'b\n' } },
  ])
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

test('beyond the limit the newest commits and the first files are shown, and the page says that there are more', async () => {
  const many = await compareCommits(repo, await oidOf('main~1002'), await oidOf('main~1'), { straight: false })
  const newest = (await realGit(repo.dir, 'rev-list', `--max-count=${maxCommits}`, '--reverse', 'main~1')).split('\n')
  expect([many.commits.map(({ oid }) => oid), many.diffs.length, many.cut]).toEqual([newest, 1, true])

  const wide = await compareCommits(repo, await oidOf('main~1'), await oidOf('main'), { straight: false })
  expect([wide.commits.length, wide.diffs.length, wide.diffs[0]?.new_path, wide.cut]).toEqual([1, maxFiles, 'f00000', true])
})

test('just as many as are shown are all there is', async () => {
  const { commits, cut } = await compareCommits(repo, await oidOf('main~1001'), await oidOf('main~1'), { straight: true })
  expect([commits.length, cut]).toEqual([maxCommits, false])
})

test('a comparison that takes too long returns what is known, and is not cached', async () => {
  const [from, to] = [await oidOf('main~5'), await oidOf('main~2')]
  const late = await compareCommits(repo, from, to, { straight: false, deadline_ms: 1 })
  expect(late.cut).toBe(true)
  const whole = await compareCommits(repo, from, to, { straight: false })
  expect([whole.commits.length, whole.diffs.length, whole.cut]).toEqual([3, 1, false])
})

test('a comparison costs three processes, those who ask meanwhile share them, and none the next time', async () => {
  const [from, to] = [await oidOf('main~9'), await oidOf('main~7')]
  await git.objects.info(repo.dir, to)
  processes = 0
  await Promise.all(Array.from({ length: 5 }, () => compareCommits(repo, from, to, { straight: false })))
  expect(processes).toBe(3)
  await compareCommits(repo, from, to, { straight: false })
  expect(processes).toBe(3)
  await compareCommits(repo, from, to, { straight: true })
  expect(processes).toBe(5)
})

test('the merge base is found, either way round, in one process; that there is none is cached too', async () => {
  const [main, earlier, other] = [await oidOf('main'), await oidOf('main~500'), await oidOf('other')]
  processes = 0
  expect(await mergeBase(repo, [main, earlier])).toBe(earlier)
  expect(await mergeBase(repo, [earlier, main])).toBe(earlier)
  expect(await mergeBase(repo, [main, main])).toBe(main)
  expect(processes).toBe(1)
  expect(await mergeBase(repo, [main, other])).toBe(null)
  expect(await mergeBase(repo, [other, main])).toBe(null)
  expect(processes).toBe(2)
  await expect(mergeBase(repo, [main, '1'.repeat(40)])).rejects.toMatchObject({ code: 'git_failed' })
})
