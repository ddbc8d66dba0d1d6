import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seed } from '../../../test/support/git.ts'
import { readCommits } from '../objects/read.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { lastCommitsOf } from './last-commits.ts'

let home: string
let git: Git
let repo: Repo

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-last-commits-'))
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
  await seed(repo.dir, [
    { message: 'First', time: 1_000, files: { 'lib/a': '1', 'lib/deep/b': '1', library: '1', ':(glob)*/c': '1', 'ü/[d]/e f': '1' } },
    { message: 'Change a', time: 2_000, files: { 'lib/a': '2' } },
    { message: 'Change what lies deeper', time: 3_000, files: { 'lib/deep/b': '2', 'ü/[d]/e f': '2' } },
    { message: 'Change a neighbor', time: 4_000, files: { library: '2' } },
  ])
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

test.each([
  ['', ['lib', 'library'], { lib: 'Change what lies deeper', library: 'Change a neighbor' }],
  ['lib', ['a', 'deep'], { a: 'Change a', deep: 'Change what lies deeper' }],
  ['lib/deep', ['b'], { b: 'Change what lies deeper' }],
  [':(glob)*', ['c'], { c: 'First' }],
  ['ü/[d]', ['e f'], { 'e f': 'Change what lies deeper' }],
])('each entry of the folder "%s" has the commit that changed it last', async (path, names, titles) => {
  const commit = (await resolveCommit(repo, 'main')) as string

  const { commits, is_complete } = await lastCommitsOf(repo, { commit, path, names }, 30_000)

  const read = await readCommits(repo, [...commits.values()])
  expect(is_complete).toBe(true)
  expect(Object.fromEntries([...commits.keys()].map((name, index) => [name, read[index]?.message.trim()]))).toEqual(titles)
})
