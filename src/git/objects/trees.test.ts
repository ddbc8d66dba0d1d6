import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { createRepository, type Git, openGit, type Repo, run } from '../repository/repository.ts'
import { findEntry, readCommit } from './read.ts'
import { listTree } from './trees.ts'

const many = 100_000
const name = (index: number) => `file-${String(index).padStart(6, '0')}.txt`

let home: string
let git: Git
let repo: Repo
/** A commit with a folder `wide` of 100,000 files, a folder and a submodule. */
let commit: string
let processes = 0

const hash = async (args: string[], input: string) => (await run(repo, args, { input })).toString().trim()

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-trees-'))
  git = await openGit(home, {
    by_fork_server: true,
    onSpawn: () => {
      processes += 1
    },
  })
  repo = git.open(1)
  await createRepository(repo, 'main')
  const blob = await hash(['hash-object', '-w', '--stdin'], 'x\n')
  const inner = await hash(['mktree'], `100644 blob ${blob}\tleaf\n`)
  const files = Array.from({ length: many }, (_, index) => `100644 blob ${blob}\t${name(index)}\n`).join('')
  const odd = `160000 commit ${'1'.repeat(40)}\ta-module\n040000 tree ${inner}\tz-folder\n`
  const wide = await hash(['mktree', '--missing'], files + odd)
  const root = await hash(['mktree'], `040000 tree ${wide}\twide\n`)
  commit = await hash(
    ['hash-object', '-w', '-t', 'commit', '--stdin'],
    `tree ${root}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
  )
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

const list = (path: string, recursive: boolean, page: { limit: number; offset: number }) =>
  listTree(repo, { commit, path, recursive }, page)

test('each page of 100,000 entries has its own, folders first and submodules last, and a page beyond the end is empty', async () => {
  const paths = async (offset: number, limit = 2) => (await list('wide', false, { limit, offset }))?.rows.map(({ path }) => path)
  expect((await list('wide', false, { limit: 1, offset: 0 }))?.total).toBe(many + 2)
  expect(await paths(0)).toEqual(['wide/z-folder', `wide/${name(0)}`])
  expect(await paths(50_000)).toEqual([`wide/${name(49_999)}`, `wide/${name(50_000)}`])
  expect(await paths(many)).toEqual([`wide/${name(many - 1)}`, 'wide/a-module'])
  expect(await paths(many + 1)).toEqual(['wide/a-module'])
  expect(await paths(many + 2)).toEqual([])
})

test(
  'everything below is listed the same way, with its path from the root',
  inFullRun('Half a second of processor. Pages of 100,000 entries are listed above; `contents.test.ts` lists recursively.'),
  async () => {
    const walk = await list('', true, { limit: 3, offset: 0 })
    expect([walk?.total, walk?.rows.map(({ path, name }) => [path, name])]).toEqual([
      many + 4,
      [
        ['wide', 'wide'],
        ['wide/z-folder', 'z-folder'],
        [`wide/${name(0)}`, name(0)],
      ],
    ])
    expect((await list('wide', true, { limit: 2, offset: many + 1 }))?.rows.map(({ path }) => path)).toEqual([
      'wide/z-folder/leaf',
      'wide/a-module',
    ])
  },
)

test('a tree is cached once read: a page of it, or one of its files, costs no process and next to no time', async () => {
  await list('wide', false, { limit: 1, offset: 0 })
  await list('', true, { limit: 1, offset: 0 })
  const root = (await readCommit(repo, commit)).tree
  git.objects.release(repo.dir)
  processes = 0
  const used_ms = measureComputing()
  for (let round = 0; round < 50; round += 1) {
    const offset = round * 2_000
    expect((await list('wide', false, { limit: 100, offset }))?.rows).toHaveLength(100)
    expect((await list('', true, { limit: 100, offset }))?.rows).toHaveLength(100)
    expect((await findEntry(repo, root, `wide/${name(offset)}`))?.type).toBe('blob')
  }
  expect(await findEntry(repo, root, 'wide/nothing')).toBe(null)
  expect(processes).toBe(0)
  expect(used_ms()).toBeLessThan(2_000)
})

test('the estimated memory of a tree is close to its size on disk', () => {
  // The folder by itself, all below it, and all below the root; the pages that were looked at come on top.
  const stored_bytes = 3 * many * ('100644 '.length + name(0).length + 1 + 20)
  expect(git.cache.bytes).toBeGreaterThan(stored_bytes)
  expect(git.cache.bytes).toBeLessThan(1.5 * stored_bytes)
})

test('a file, a submodule and what is not there are no tree', async () => {
  for (const path of [`wide/${name(0)}`, 'wide/a-module', 'wide/nothing', 'wide/a-module/x', '../wide', 'wide//z-folder']) {
    expect([path, await list(path, false, { limit: 1, offset: 0 })]).toEqual([path, null])
  }
})
