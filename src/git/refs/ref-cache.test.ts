/** Whatever moves a ref, by whichever way, the next read sees it: nothing stale is served. */
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git, seed } from '../../../test/support/git.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { refState } from './ref-cache.ts'
import { findRef, listRefs, mergedBranches, pageOfRefs, refsContaining } from './refs.ts'
import { resolveCommit } from './resolve.ts'

let home: string
let opened: Git
let repo: Repo
let processes = 0

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-ref-state-'))
  opened = await openGit(home, { by_fork_server: true, onSpawn: () => processes++ })
  repo = opened.open(1)
  await createRepository(repo, 'main')
  await seed(
    repo.dir,
    [1, 2, 3].map((n) => ({ files: { file: String(n) } })),
  )
})

afterAll(async () => {
  opened.close()
  await rm(home, { recursive: true })
})

/** As if the refs were an hour old: only then are they cached. */
async function age(...files: string[]): Promise<void> {
  const past = new Date(Date.now() - 3_600_000)
  for (const file of files) await utimes(join(repo.dir, file), past, past).catch(() => {})
}

const truth = (revision: string) => git(repo.dir, 'rev-parse', `${revision}^{commit}`)

test('a branch that moves, is packed, deleted, or shares its name with a tag means its new commit at once', async () => {
  const all = ['refs/heads/main', 'packed-refs', 'refs/tags/main']
  for (const move of [
    ['update-ref', 'refs/heads/main', 'refs/heads/main~1'],
    ['pack-refs', '--all'],
    ['update-ref', 'refs/heads/main', 'refs/heads/main~1'],
    ['update-ref', 'refs/tags/main', 'refs/heads/main'],
    ['pack-refs', '--all', '--prune'],
    ['tag', '-d', 'main'],
  ]) {
    await age(...all)
    expect(await resolveCommit(repo, 'main')).toBe(await truth('refs/heads/main'))
    expect(await resolveCommit(repo, 'main')).toBe(await truth('refs/heads/main'))
    await git(repo.dir, ...move)
    expect([move, await resolveCommit(repo, 'main')]).toEqual([move, await truth('refs/heads/main')])
  }
  await git(repo.dir, 'update-ref', '-d', 'refs/heads/main')
  expect(await resolveCommit(repo, 'main')).toBeNull()
})

test('HEAD and just-changed files are not answered from the cache', async () => {
  await git(repo.dir, 'update-ref', 'refs/heads/fresh', await seedTip())
  expect(refState(repo, ['refs/heads/fresh'])).toBeNull()
  expect(refState(repo, ['HEAD'])).toBeNull()
  await age('refs/heads/fresh', 'packed-refs')
  expect(refState(repo, ['refs/heads/fresh'])).toEqual(expect.any(String))
})

test('a name below another ref, or too long for a file, resolves to nothing', async () => {
  await ageAll()
  for (const name of ['tip/below', `${'x'.repeat(300)}`, `tip/${'x'.repeat(300)}`]) {
    expect(await resolveCommit(repo, name)).toBeNull()
    expect(await findRef(repo, 'heads', name)).toBeNull()
  }
})

/** Three commits on a branch of their own, between which the tests below move refs. */
async function seedLine(): Promise<void> {
  await seed(
    repo.dir,
    [4, 5, 6].map((n) => ({ files: { file: String(n) }, branch: 'line' })),
  )
}

test('a name means the tag while its branch is gone, and the branch once it is back', async () => {
  await seedLine()
  for (const [branch, tag] of [
    [await truth('refs/heads/line'), await truth('refs/heads/line~1')],
    [await truth('refs/heads/line~1'), await truth('refs/heads/line~2')],
  ] as const) {
    await git(repo.dir, 'update-ref', 'refs/tags/both', tag)
    await ageAll()
    expect(await resolveCommit(repo, 'both')).toBe(tag)
    expect(await resolveCommit(repo, 'both')).toBe(tag)
    await git(repo.dir, 'update-ref', 'refs/heads/both', branch)
    expect(await resolveCommit(repo, 'both')).toBe(branch)
    await ageAll()
    expect(await resolveCommit(repo, 'both')).toBe(branch)
    await git(repo.dir, 'update-ref', '-d', 'refs/heads/both')
    expect(await resolveCommit(repo, 'both')).toBe(tag)
  }
  await git(repo.dir, 'update-ref', '-d', 'refs/tags/both')
})

/** As if nothing below `refs` had changed for an hour. */
async function ageAll(): Promise<void> {
  const below = await readdir(join(repo.dir, 'refs'), { recursive: true })
  await age('packed-refs', 'refs', ...below.map((file) => join('refs', file)))
}

/** Everything that is told of all tags, by us and by git. */
async function toldOfTags(): Promise<unknown> {
  const [page, all, containing] = [
    await pageOfRefs(repo, 'tags', { order_by: 'name', sort: 'asc' }, { limit: 100, offset: 0 }),
    await listRefs(repo, 'tags'),
    await refsContaining(repo, await truth('line~1'), ['tags']),
  ]
  return { page: page.rows.map(({ name, commit }) => [name, commit]), all: all.map(({ name }) => name), containing }
}

async function toldByGit(): Promise<unknown> {
  const names = (...args: string[]) => git(repo.dir, 'for-each-ref', ...args).then((text) => text.split('\n').filter(Boolean))
  const all = await names('--format=%(refname:lstrip=2)', 'refs/tags')
  const page = await Promise.all(all.map(async (name) => [name, await truth(`refs/tags/${name}`)]))
  return { page, all, containing: await names('--format=%(refname)', `--contains=${await truth('line~1')}`, 'refs/tags') }
}

test('a list of tags is right after each move of any of them, wherever git keeps it, and costs nothing as long as none moves', async () => {
  const moves: Array<() => Promise<unknown>> = [
    () => git(repo.dir, 'tag', 'a', 'line'),
    () => git(repo.dir, 'tag', '-m', 'Annotated', 'folder/deep/b', 'line~1'),
    () => git(repo.dir, 'pack-refs', '--all', '--prune'),
    () => git(repo.dir, 'update-ref', 'refs/tags/a', 'line~2'),
    () => git(repo.dir, 'tag', '--force', '-m', 'Again', 'folder/deep/b', 'line'),
    () => git(repo.dir, 'tag', '-d', 'folder/deep/b'),
    () => mkdir(join(repo.dir, 'refs/tags/empty/below'), { recursive: true }),
    () => git(repo.dir, 'tag', 'empty/below/c', 'line'),
    () => git(repo.dir, 'tag', 'folder/e', 'a'),
    () => git(repo.dir, 'update-ref', 'refs/tags/empty/below/c', 'line~1'),
    () => git(repo.dir, 'tag', '-d', 'a'),
  ]
  for (const [index, move] of moves.entries()) {
    await move()
    expect([index, await toldOfTags()]).toEqual([index, await toldByGit()])
    await ageAll()
    const settled = await toldOfTags()
    const before = processes
    expect([index, await toldOfTags()]).toEqual([index, settled])
    expect([index, processes - before]).toEqual([index, 0])
  }
})

test('a tag found by its name, and which branches are merged, are right after each move too', async () => {
  for (const commit of ['line', 'line~1', 'line']) {
    await git(repo.dir, 'update-ref', 'refs/tags/found', commit)
    await git(repo.dir, 'update-ref', 'refs/heads/moving', commit)
    await ageAll()
    for (const _ of [1, 2]) {
      expect((await findRef(repo, 'tags', 'found'))?.commit).toBe(await truth(commit))
      expect((await mergedBranches(repo, await truth('line~1'))).has('moving')).toBe(commit === 'line~1')
    }
  }
  await git(repo.dir, 'tag', '-d', 'found')
  expect(await findRef(repo, 'tags', 'found')).toBeNull()
})

test('concurrent requests read once', async () => {
  await git(repo.dir, 'tag', 'asked', 'line')
  await ageAll()
  await readCommitsOnce()
  const before = processes
  const lists = await Promise.all(Array.from({ length: 20 }, () => listRefs(repo, 'tags')))
  expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1)
  expect(processes - before).toBe(1)
})

/** So that the reader of objects runs. */
async function readCommitsOnce(): Promise<void> {
  await resolveCommit(repo, 'HEAD')
}

test('a search finds what has it, begins or ends with it, ignoring case', async () => {
  const find = async (search: string, sort: 'asc' | 'desc' = 'asc') => {
    const page = await pageOfRefs(repo, 'tags', { order_by: 'name', sort, search }, { limit: 2, offset: 0 })
    return [page.total, page.rows.map(({ name }) => name)]
  }
  const all = (await listRefs(repo, 'tags')).map(({ name }) => name)
  expect(all).toEqual(['asked', 'empty/below/c', 'folder/e'])
  expect(await find('E')).toEqual([3, ['asked', 'empty/below/c']])
  expect(await find('E', 'desc')).toEqual([3, ['folder/e', 'empty/below/c']])
  expect(await find('^E')).toEqual([1, ['empty/below/c']])
  expect(await find('e$')).toEqual([1, ['folder/e']])
  expect(await find('^asked$')).toEqual([1, ['asked']])
  expect(await find('^ask$')).toEqual([0, []])
  expect(await find('.*')).toEqual([0, []])
})

async function seedTip(): Promise<string> {
  await seed(repo.dir, [{ files: { file: 'tip' }, branch: 'tip' }])
  return truth('refs/heads/tip')
}
