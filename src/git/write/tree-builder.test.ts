import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, seed } from '../../../test/support/git.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { readCommit } from '../objects/read.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { writeCommit } from './fast-import.ts'
import { openTreeBuilder, type TreeBuilder } from './tree-builder.ts'

let home: string
let git: Git
let repo: Repo
let tree: string
let tip: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-draft-'))
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
  await seed(repo.dir, [{ files: { a: 'a', 'dir/b': 'b', 'dir/deep/c': 'c', 'other/d': 'd' } }])
  tip = (await resolveCommit(repo, 'main')) as string
  tree = (await readCommit(repo, tip)).tree
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

const at = (path: string) => path.split('/')
const bytes = (text: string) => ({ bytes: () => Buffer.from(text) })
const kindAt = async (draft: TreeBuilder, path: string) => {
  const found = await draft.find(at(path))
  return typeof found === 'string' || found === null ? found : found.mode
}

test('it reports what is in the tree, and conflicts, before any change', async () => {
  const draft = openTreeBuilder(repo, tree)
  const paths = ['a', 'dir', 'dir/b', 'dir/deep', 'dir/deep/c', 'none', 'dir/none', 'none/none', 'a/x', 'a/x/y']
  expect(await Promise.all(paths.map((path) => kindAt(draft, path)))).toEqual([
    '100644',
    'folder',
    '100644',
    'folder',
    '100644',
    null,
    null,
    null,
    'blocked',
    'blocked',
  ])
  expect(draft.changes).toEqual([])
})

test('an empty one accepts any path', async () => {
  const draft = openTreeBuilder(repo, null)
  expect([await draft.find(['a']), await draft.find(['a', 'b'])]).toEqual([null, null])
  await draft.put(at('a/b/c'), '100755', bytes('x'))
  expect([await kindAt(draft, 'a'), await kindAt(draft, 'a/b'), await kindAt(draft, 'a/b/c')]).toEqual(['folder', 'folder', '100755'])
})

test('a folder goes with the last of its files, and so do those that are empty without it', async () => {
  const draft = openTreeBuilder(repo, tree)
  await draft.remove(at('dir/deep/c'))
  expect([await kindAt(draft, 'dir/deep'), await kindAt(draft, 'dir')]).toEqual([null, 'folder'])
  await draft.remove(at('dir/b'))
  expect(await kindAt(draft, 'dir')).toBeNull()
  await draft.put(['dir'], '100644', bytes('now a file'))
  expect([await kindAt(draft, 'dir'), await kindAt(draft, 'dir/b')]).toEqual(['100644', 'blocked'])
})

test('a path called like something every object has is a path like any other', async () => {
  const draft = openTreeBuilder(repo, tree)
  for (const path of ['__proto__', 'constructor', 'toString/__proto__']) {
    expect([path, await kindAt(draft, path)]).toEqual([path, null])
    await draft.put(at(path), '100644', bytes(path))
    expect([path, await kindAt(draft, path)]).toEqual([path, '100644'])
  }
})

test(
  'its state after any changes equals the tree git writes',
  inFullRun('1 s of processor. Random changes; `commit-actions.test.ts` makes trees by it.'),
  async () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'dir', 'deep'), { minLength: 1, maxLength: 3 })
    const change = fc.record({ path, remove: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const draft = openTreeBuilder(repo, tree)
        for (const { path, remove } of changes) {
          const found = await draft.find(path)
          if (remove && found !== null && typeof found !== 'string') await draft.remove(path)
          else if (!remove && typeof found !== 'string') await draft.put(path, '100644', bytes(path.join()))
        }
        const people = { name: 'Ada', email: 'ada@example.com' }
        const oid = await writeCommit(repo, { parents: [tip], author: people, committer: people, message: 'x', changes: draft.changes })
        const files = (await realGit(repo.dir, 'ls-tree', '-r', '--name-only', oid)).split('\n').filter(Boolean)
        for (const file of files) expect([file, await kindAt(draft, file)]).toEqual([file, '100644'])
        const written = openTreeBuilder(repo, (await readCommit(repo, oid)).tree)
        for (const { path } of changes) expect(await kindAt(draft, path.join('/'))).toEqual(await kindAt(written, path.join('/')))
      }),
      { numRuns: 25 },
    )
  },
)

test('a few paths of thousands of parts are refused before their folders fill the memory', async () => {
  const draft = openTreeBuilder(repo, tree)
  const deep = (name: number) => [String(name), ...Array<string>(2_000).fill('x')]
  const putAll = async () => {
    for (let name = 0; name < 300; name += 1) await draft.put(deep(name), '100644', bytes('x'))
  }
  await expect(putAll()).rejects.toMatchObject({ code: 'too_large' })
})
