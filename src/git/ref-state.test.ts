/** Whatever moves a ref, by whichever way, the next read sees it: nothing stale is served. */
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git, seed } from '../../test/support/git.ts'
import { resolveCommit } from './read.ts'
import { refState } from './ref-state.ts'
import { createRepository, type Git, openGit, type Repo } from './repository.ts'

let home: string
let opened: Git
let repo: Repo

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-ref-state-'))
  opened = await openGit(home)
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

/** As if the refs had been as they are for an hour: only then is what they mean remembered. */
async function age(...files: string[]): Promise<void> {
  const past = new Date(Date.now() - 3_600_000)
  for (const file of files) await utimes(join(repo.dir, file), past, past).catch(() => {})
}

const truth = (revision: string) => git(repo.dir, 'rev-parse', `${revision}^{commit}`)

test('a branch that moves, is packed, deleted, or hidden by a tag of its name means its new commit at once', async () => {
  const all = ['refs/heads/main', 'packed-refs', 'refs/tags/main']
  for (const move of [
    ['update-ref', 'refs/heads/main', 'main~1'],
    ['pack-refs', '--all'],
    ['update-ref', 'refs/heads/main', 'main~1'],
    ['update-ref', 'refs/tags/main', 'refs/heads/main'],
    ['pack-refs', '--all', '--prune'],
    ['tag', '-d', 'main'],
  ]) {
    await age(...all)
    expect(await resolveCommit(repo, 'main')).toBe(await truth('main'))
    expect(await resolveCommit(repo, 'main')).toBe(await truth('main'))
    await git(repo.dir, ...move)
    expect([move, await resolveCommit(repo, 'main')]).toEqual([move, await truth('main')])
  }
  await git(repo.dir, 'update-ref', '-d', 'refs/heads/main')
  expect(await resolveCommit(repo, 'main')).toBeNull()
})

test('nothing is told of HEAD, of shortened ids and of files changed just now', async () => {
  await git(repo.dir, 'update-ref', 'refs/heads/fresh', await seedTip())
  expect(refState(repo, 'fresh')).toBeNull()
  for (const revision of ['HEAD', 'HEAD~1', 'abcd', 'abcdef0~2']) expect(refState(repo, revision)).toBeNull()
  await age('refs/heads/fresh', 'packed-refs')
  expect(refState(repo, 'fresh')).toEqual(expect.any(String))
  expect(refState(repo, 'fresh~2')).toBe(refState(repo, 'fresh'))
})

async function seedTip(): Promise<string> {
  await seed(repo.dir, [{ files: { file: 'tip' }, branch: 'tip' }])
  return truth('refs/heads/tip')
}
