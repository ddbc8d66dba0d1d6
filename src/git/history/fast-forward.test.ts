/** Fast-forwards are known by the commits in quarantine alone; git is asked of everything else. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git } from '../../../test/support/git.ts'
import { isPlainFastForward } from './fast-forward.ts'

let dir: string
let commits: string[]
let merge: string
let island: string

beforeAll(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'gitstead-forward-')), 'a.git')
  await git('/', 'init', '--quiet', '--bare', dir)
  const tree = await git(dir, 'hash-object', '-w', '-t', 'tree', '/dev/null')
  commits = [await git(dir, 'commit-tree', '-m', '0', tree)]
  for (const number of [1, 2, 3]) commits.push(await git(dir, 'commit-tree', '-p', commits.at(-1) as string, '-m', `${number}`, tree))
  island = await git(dir, 'commit-tree', '-m', 'parent of nothing', tree)
  merge = await git(dir, 'commit-tree', '-p', commits[3] as string, '-p', island, '-m', 'Merge', tree)
})

afterAll(() => rm(join(dir, '..'), { recursive: true }))

test('a fast-forward is from a parent, an ancestor or what was merged, and nothing else', async () => {
  const [first = '', second = '', , last = ''] = commits
  const is = (before: string, after: string) => isPlainFastForward(join(dir, 'objects'), before, after)

  expect([await is(second, last), await is(first, last), await is(island, merge), await is(first, merge)]).toEqual([true, true, true, true])
  expect([await is(last, first), await is(island, last), await is(last, island)]).toEqual([false, false, false])
  expect(await isPlainFastForward('', first, second)).toBe(false)
})

test('an object that is no commit or is too large is no fast-forward', async () => {
  const [first = ''] = commits
  const tree = await git(dir, 'rev-parse', `${first}^{tree}`)
  const long = await git(dir, 'commit-tree', '-p', first, '-m', 'x'.repeat(100_000), tree)
  const objects = join(dir, 'objects')

  expect(await isPlainFastForward(objects, first, tree)).toBe(false)
  expect(await isPlainFastForward(objects, first, long)).toBe(false)
})
