/** Names of commits: branches before tags, tags before ids, and never a guess of git's. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git, gitReading, seed } from '../../../test/support/git.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { findBlob, resolveCommit } from './resolve.ts'

let home: string
let opened: Git
let repo: Repo
/** Commits by their place in the history of `main`: 0 is the tip. */
let ids: string[]

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-resolve-'))
  opened = await openGit(home, { by_fork_server: true })
})

afterAll(async () => {
  opened.close()
  await rm(home, { recursive: true })
})

let repositories = 0

async function freshRepo(): Promise<void> {
  repositories += 1
  repo = opened.open(repositories)
  await createRepository(repo, 'main')
  await seed(
    repo.dir,
    [1, 2, 3, 4].map((n) => ({ files: { file: String(n) } })),
  )
  ids = (await git(repo.dir, 'rev-list', 'main')).split('\n')
}

const point = (ref: string, oid: string) => git(repo.dir, 'update-ref', ref, oid)
const at = (index: number) => ids[index] as string

test('a branch comes before a tag of its name, in full and in part, loose and packed', async () => {
  await freshRepo()
  await point('refs/tags/main', at(3))
  await point('refs/heads/feature/one', at(1))
  await git(repo.dir, 'tag', '-a', '-m', 'Release', 'feature/one', at(3))
  await git(repo.dir, 'tag', '-a', '-m', 'Release', 'v1', at(2))
  for (const _ of ['loose', 'packed']) {
    for (const [revision, expected] of [
      ['main', at(0)],
      ['main~1', at(1)],
      ['main^^', at(2)],
      // The branch has no such ancestor: the tag isn't asked instead.
      ['main~9', null],
      ['refs/heads/main', at(0)],
      ['refs/tags/main', at(3)],
      ['heads/main', at(0)],
      ['tags/main', at(3)],
      ['feature/one', at(1)],
      ['tags/feature/one', at(3)],
      ['v1', at(2)],
      ['v1^{}', at(2)],
      ['v1^{commit}~1', at(3)],
      ['HEAD', at(0)],
      ['HEAD~3', at(3)],
      ['main^{tree}', null],
      ['nothing', null],
    ] as const)
      expect([revision, await resolveCommit(repo, revision)]).toEqual([revision, expected])
    await git(repo.dir, 'pack-refs', '--all', '--prune')
  }
})

test('a full id is that commit, whatever branch or tag is called so; a shortened one comes after both', async () => {
  await freshRepo()
  const [id, short] = [at(0), at(0).slice(0, 9)]
  expect(await resolveCommit(repo, short)).toBe(id)
  expect(await resolveCommit(repo, short.toUpperCase())).toBe(id)
  expect(await resolveCommit(repo, id.toUpperCase())).toBe(id)
  for (const name of [id, at(1)]) {
    await point(`refs/heads/${name}`, at(2))
    await point(`refs/tags/${name}`, at(3))
  }
  expect([await resolveCommit(repo, id), await resolveCommit(repo, at(1))]).toEqual([id, at(1)])
  await point(`refs/tags/${short}`, at(3))
  expect(await resolveCommit(repo, short)).toBe(at(3))
  await point(`refs/heads/${short}`, at(2))
  expect(await resolveCommit(repo, short)).toBe(at(2))
  const absent = '0'.repeat(39)
  for (const name of [`${absent}1`, `${absent}1${'0'.repeat(24)}`]) {
    await point(`refs/heads/${name}`, at(2))
    expect([name, await resolveCommit(repo, name)]).toEqual([name, null])
  }
})

test('a name beginning with refs/ is that ref or nothing', async () => {
  await freshRepo()
  for (const guess of [
    'refs/tags/refs/heads/gone',
    'refs/heads/refs/heads/gone',
    'refs/refs/heads/gone',
    'refs/remotes/refs/heads/gone',
    'refs/remotes/refs/heads/gone/HEAD',
    'refs/remotes/gone',
    'refs/remotes/gone/HEAD',
    'refs/gone',
  ]) {
    await point(guess, at(3))
    const found = [await resolveCommit(repo, 'refs/heads/gone'), await resolveCommit(repo, 'gone'), await resolveCommit(repo, guess)]
    expect([guess, ...found]).toEqual([guess, null, null, at(3)])
    // And where there is such a branch, it is found beside them.
    await point('refs/heads/gone', at(1))
    expect([guess, await resolveCommit(repo, 'gone'), await resolveCommit(repo, 'refs/heads/gone')]).toEqual([guess, at(1), at(1)])
    await git(repo.dir, 'update-ref', '-d', 'refs/heads/gone')
    await git(repo.dir, 'update-ref', '-d', guess)
  }
})

test('HEAD without a default branch resolves to nothing, whatever is named HEAD', async () => {
  await freshRepo()
  await git(repo.dir, 'symbolic-ref', 'HEAD', 'refs/heads/unborn')
  for (const name of ['refs/tags/HEAD', 'refs/heads/HEAD', 'refs/HEAD']) await point(name, at(3))
  expect(await resolveCommit(repo, 'HEAD')).toBeNull()
  await git(repo.dir, 'symbolic-ref', 'HEAD', 'refs/heads/main')
  expect(await resolveCommit(repo, 'HEAD')).toBe(at(0))
})

test('output of git describe resolves to its commit, unless a branch or tag has that name', async () => {
  await freshRepo()
  const name = `v1-3-g${at(1).slice(0, 10)}`
  expect(await resolveCommit(repo, name)).toBe(at(1))
  // A full name is never one.
  expect(await resolveCommit(repo, `refs/heads/${name}`)).toBeNull()
  await point(`refs/tags/${name}`, at(3))
  expect(await resolveCommit(repo, name)).toBe(at(3))
  await point(`refs/heads/${name}`, at(2))
  expect(await resolveCommit(repo, name)).toBe(at(2))
})

test('the shortened id of a tag object leads to its commit, and one of several objects to none', async () => {
  await freshRepo()
  await git(repo.dir, 'tag', '-a', '-m', 'Release', 'v1', at(2))
  const tag = await git(repo.dir, 'rev-parse', 'refs/tags/v1')
  expect([await resolveCommit(repo, tag), await resolveCommit(repo, tag.slice(0, 12))]).toEqual([at(2), at(2)])
  const tree = await git(repo.dir, 'rev-parse', 'main^{tree}')
  expect([await resolveCommit(repo, tree), await resolveCommit(repo, tree.slice(0, 12))]).toEqual([null, null])
})

test('blobs are found by their ids alone, and a tag that is called like one hides none', async () => {
  await freshRepo()
  const blob = await git(repo.dir, 'rev-parse', 'main:file')
  const other = await git(repo.dir, 'rev-parse', 'main~1:file')
  const short = blob.slice(0, 8)
  await point(`refs/tags/${short}`, other)
  await point('refs/tags/beef', other)
  expect((await findBlob(repo, short))?.oid).toBe(blob)
  expect((await findBlob(repo, blob))?.oid).toBe(blob)
  for (const none of ['beef', at(0), at(0).slice(0, 8), 'main', `${blob}${'0'.repeat(24)}`]) expect(await findBlob(repo, none)).toBeNull()
})

test('a branch that moves while it is cached resolves to its new commit', async () => {
  await freshRepo()
  for (let round = 0; round < 20; round += 1) {
    await point('refs/heads/main', at(round % 4))
    expect(await resolveCommit(repo, 'main')).toBe(at(round % 4))
  }
  await gitReading(repo.dir, `delete refs/heads/main\ncreate refs/tags/main ${at(3)}\n`, 'update-ref', '--stdin')
  expect(await resolveCommit(repo, 'main')).toBe(at(3))
})
