/** Merges, squashes, rebases and conflicts against what git itself does in a working tree. */
import { mkdir, mkdtemp, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, tryGit } from '../../../test/support/git.ts'
import { inFullRun, isInSample } from '../../../test/support/run/tiers.ts'
import { isAncestor } from '../history/ancestry.ts'
import { readChangeIds } from '../history/change-ids.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { conflictsBetween, sectionsOf, writeResolvedMerge } from './conflicts.ts'
import { tryMerge, writeMergeCommit, writeMergedTree, writeSquashCommit } from './merge.ts'
import { rebase } from './rebase.ts'

let home: string
let work: string
let git: Git
let repo: Repo

const ada = { name: 'Ada', email: 'ada@example.com' }
const signed = { author: ada, committer: ada, message: 'Merge' }
const numbered = (...changed: Array<[number, string]>) =>
  `${Array.from({ length: 20 }, (_, index) => changed.find(([line]) => line === index)?.[1] ?? `line ${index}`).join('\n')}\n`

async function commit(message: string, files: Record<string, string | Buffer> = {}): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(work, path, '..'), { recursive: true })
    await writeFile(join(work, path), content)
  }
  await realGit(work, 'add', '--all')
  await realGit(work, 'commit', '--quiet', '--allow-empty', '--message', message)
}
const branch = (name: string, from: string) => realGit(work, 'checkout', '--quiet', '-b', name, from)
const at = (revision: string) => realGit(work, 'rev-parse', revision)
const objects = async () => (await readdir(join(repo.dir, 'objects'), { recursive: true })).sort()

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-merges-'))
  work = join(home, 'work')
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
  await realGit(home, 'init', '--quiet', '--initial-branch=main', work)
  await commit('Root', { text: numbered(), other: 'other\n', 'dir/file': 'file\n', bin: Buffer.from([0, 1, 2]) })
  await branch('top', 'main')
  await commit('Top', { text: numbered([1, 'top']) })
  await commit('Second\n\nWith a body.\n', { second: '2\n' })
  await branch('bottom', 'main')
  await commit('Bottom', { text: numbered([18, 'bottom']) })
  await branch('clash', 'main')
  await commit('Clash', { text: numbered([1, 'clash'], [10, 'alone']), bin: Buffer.from([0, 1, 3]) })
  await branch('binary', 'main')
  await commit('Binary', { bin: Buffer.from([0, 9, 9]) })
  await branch('gone', 'main')
  await unlink(join(work, 'text'))
  await commit('Gone')
  await branch('moved', 'main')
  await rename(join(work, 'text'), join(work, 'dir/moved'))
  await symlink('other', join(work, 'link'))
  await commit('Moved')
  await branch('criss', 'top')
  await realGit(work, 'merge', '--quiet', '--no-edit', 'bottom')
  await branch('cross', 'bottom')
  await realGit(work, 'merge', '--quiet', '--no-edit', 'top')
  await commit('After', { after: 'x\n' })
  await branch('merged-main', 'top')
  await realGit(work, 'merge', '--quiet', '--no-edit', 'bottom')
  await commit('More', { more: 'more\n' })
  await branch('picked', 'bottom')
  await realGit(work, 'cherry-pick', '--allow-empty', 'top~1')
  await branch('odd', 'main')
  await realGit(
    work,
    '-c',
    'i18n.commitEncoding=ISO-8859-1',
    'commit',
    '--quiet',
    '--allow-empty',
    '--author=Zo\u00eb <z@example.com>',
    '--date=2001-02-03T04:05:06+0530',
    '-m',
    'Empty at first',
  )
  await commit('Odd', { odd: 'odd\n' })
  await realGit(work, 'checkout', '--quiet', '--orphan', 'unrelated')
  await realGit(work, 'rm', '-r', '--quiet', '--force', '.')
  await commit('Alone', { alone: 'alone\n' })
  await realGit(work, 'push', '--quiet', repo.dir, '--all')
}, 300_000)

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

const branches = ['main', 'top', 'bottom', 'clash', 'binary', 'gone', 'moved', 'criss', 'cross', 'merged-main', 'picked', 'unrelated']

/** The tips of the branches. Asked for once: there are hundreds of pairs of them. */
async function tipsOf(names: readonly string[]): Promise<Map<string, string>> {
  const oids = (await realGit(work, 'rev-parse', ...names)).split('\n')
  return new Map(names.map((name, index) => [name, oids[index] as string]))
}

/** The outcome of `git merge` in a working tree: the tree, the paths in conflict, or that the histories are unrelated. */
async function mergedByHand(ours: string, theirs: string): Promise<unknown> {
  // Drops what is left of a merge before, with its files.
  await realGit(work, 'reset', '--quiet', '--hard', ours)
  const { code, stderr } = await tryGit(work, 'merge', '--no-ff', '--no-commit', '--quiet', theirs)
  if (code === 0) return { kind: 'clean', tree: await realGit(work, 'write-tree') }
  if (/unrelated histories/.test(stderr)) return { kind: 'unrelated' }
  return { kind: 'conflicts', paths: (await realGit(work, 'diff', '--name-only', '--diff-filter=U')).split('\n').filter(Boolean) }
}

test('merging any two branches gives the tree, or the conflicts, that git gives', async () => {
  const wrong: unknown[] = []
  const kinds = new Set<string>()
  const tips = await tipsOf(branches)
  await realGit(work, 'checkout', '--quiet', '--force', '--detach', 'main')
  for (const [row, [ours, our]] of [...tips].entries()) {
    for (const [column, [theirs, their]] of [...tips].entries()) {
      if (ours === theirs || !isInSample(row, column, 4)) continue
      const found = await tryMerge(repo, { ours: our, theirs: their })
      const expected = await mergedByHand(our, their)
      kinds.add(found.kind)
      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push([ours, theirs, found, expected])
    }
  }
  expect(wrong).toEqual([])
  expect(kinds).toEqual(new Set(['clean', 'conflicts', 'unrelated']))
}, 300_000)

test('trying a merge leaves no object behind', async () => {
  const before = await objects()
  await tryMerge(repo, { ours: await at('moved'), theirs: await at('cross') })
  await conflictsBetween(repo, { ours: await at('top'), theirs: await at('clash') })
  expect(await objects()).toEqual(before)
})

test('a merge commit and a squash have the merged tree, and the parents that belong to them', async () => {
  const sides = { ours: await at('bottom'), theirs: await at('top') }
  const merged = await writeMergedTree(repo, sides)
  if (merged.kind !== 'clean') throw new Error('not clean')

  const merge = await writeMergeCommit(repo, sides, merged.tree, signed)
  const squash = await writeSquashCommit(repo, sides.ours, merged.tree, signed)

  const shape = (oid: string) => realGit(repo.dir, 'show', '--no-patch', '--format=%P %T %an %s', oid)
  expect(await shape(merge)).toBe(`${sides.ours} ${sides.theirs} ${merged.tree} Ada Merge`)
  expect(await shape(squash)).toBe(`${sides.ours} ${merged.tree} Ada Merge`)
  expect(await isAncestor(repo, sides.theirs, merge)).toBe(true)
  expect(await realGit(repo.dir, 'fsck', '--no-dangling', merge, squash)).toBe('')
})

/** The commits of a branch as `git rebase` must leave them: trees, authors, dates and messages. */
const series = (dir: string, range: string) => realGit(dir, 'log', '--format=%T %an %aI %B%x00', range)

test('rebasing any branch onto any other leads where git leads, or stops where git stops', {
  ...inFullRun('1 s of processor. Random histories; merging any two branches stays, and rebases of chosen ones.'),
  timeout: 300_000,
}, async () => {
  const wrong: unknown[] = []
  const outcomes = new Set<string>()
  const tips = await tipsOf([...branches, 'odd'])
  await realGit(work, 'reset', '--quiet', '--hard')
  await realGit(work, 'checkout', '--quiet', '--force', '--detach', 'main')
  for (const [row, [tip, from]] of [...tips].entries()) {
    for (const [column, onto] of ['main', 'bottom', 'clash', 'moved', 'unrelated'].entries()) {
      if (!isInSample(row, column, 3)) continue
      const sides = { tip: from, onto: tips.get(onto) as string }
      const found = await rebase(repo, sides, ada)
      const { code } = await tryGit(
        work,
        '-c',
        'user.name=Ada',
        '-c',
        'user.email=ada@example.com',
        'rebase',
        '--empty=drop',
        sides.onto,
        from,
      )
      const expected = code === 0 ? await series(work, `${onto}..HEAD`) : 'conflict'
      if (code !== 0) await realGit(work, 'rebase', '--abort')
      const got = found.kind === 'done' ? await series(repo.dir, `${onto}..${found.oid}`) : found.kind
      outcomes.add(found.kind)
      if (got !== expected) wrong.push([tip, onto, got, expected])
    }
  }
  expect(wrong).toEqual([])
  expect(outcomes).toEqual(new Set(['done', 'conflict']))
})

test('a branch that is on top already keeps its commits', async () => {
  const found = await rebase(repo, { tip: await at('top'), onto: await at('main') }, ada)
  expect(found).toEqual({ kind: 'done', oid: await at('top') })
})

test('an author keeps name, date, time zone and encoding; the committer is who rebases', async () => {
  const found = await rebase(repo, { tip: await at('odd'), onto: await at('bottom') }, ada)
  if (found.kind !== 'done') throw new Error('not done')
  const raw = await realGit(repo.dir, 'cat-file', 'commit', `${found.oid}~1`)
  expect(raw).toMatch(/ 981153306 \+0530\ncommitter Ada <ada@example.com> \d+ \+0000\nencoding ISO-8859-1\n\nEmpty at first$/)
  expect(await realGit(repo.dir, 'fsck', '--no-dangling', found.oid)).toBe('')
})

test('a rebase keeps the change id that jj writes into a commit', async () => {
  const raw = `${await realGit(repo.dir, 'cat-file', 'commit', 'top')}\n`
  await writeFile(join(home, 'of-jj'), raw.replace('\n\n', `\nchange-id ${'k'.repeat(32)}\n\n`))
  const tip = await realGit(repo.dir, 'hash-object', '-t', 'commit', '-w', join(home, 'of-jj'))
  const found = await rebase(repo, { tip, onto: await at('bottom') }, ada)
  const oid = found.kind === 'done' ? found.oid : ''
  expect(await realGit(repo.dir, 'cat-file', 'commit', oid)).toContain(`\nchange-id ${'k'.repeat(32)}\n\n`)
  expect(await readChangeIds(repo, [oid, await at('top')])).toEqual(['k'.repeat(32), null])
})

test('conflicts are told file by file, as text with its sections where they can be resolved as text', async () => {
  const sides = { ours: await at('top'), theirs: await at('clash') }
  const [text] = (await conflictsBetween(repo, sides)) ?? []
  expect([text?.path, text?.reason]).toEqual(['text', null])
  expect(sectionsOf(text?.content ?? '', sides)).toEqual([
    { kind: 'common', lines: ['line 0'] },
    { kind: 'conflict', ours: ['top'], theirs: ['clash'] },
    { kind: 'common', lines: numbered([10, 'alone']).trimEnd().split('\n').slice(2) },
  ])
  const reasons = async (ours: string, theirs: string) =>
    (await conflictsBetween(repo, { ours: await at(ours), theirs: await at(theirs) }))?.map(({ path, reason }) => [path, reason])
  expect(await reasons('binary', 'clash')).toEqual([['bin', 'binary']])
  expect(await reasons('gone', 'top')).toEqual([['text', 'missing side']])
  expect(await reasons('top', 'bottom')).toEqual([])
  expect(await reasons('top', 'unrelated')).toBeUndefined()
})

test('lines of the file that look like markers are not taken for them', () => {
  const sides = { ours: 'a'.repeat(40), theirs: 'b'.repeat(40) }
  const marked = (...inner: string[]) => [`<<<<<<< ${sides.ours}`, ...inner, `>>>>>>> ${sides.theirs}`, ''].join('\n')
  expect(sectionsOf('Title\n=======\n', sides)).toEqual([{ kind: 'common', lines: ['Title', '======='] }])
  expect(sectionsOf(marked('x', '=======', 'y', '=======', 'z'), sides)).toBeNull()
  expect(sectionsOf(marked('x'), sides)).toBeNull()
  expect(sectionsOf(marked('x', '=======').replace(/>>>>>>>.*\n/, ''), sides)).toBeNull()
  expect(sectionsOf('<<<<<<< HEAD\n', sides)).toEqual([{ kind: 'common', lines: ['<<<<<<< HEAD'] }])
})

test('a resolved merge has the given text, the rest merged, and needs every conflict resolved', async () => {
  const sides = { ours: await at('top'), theirs: await at('clash') }
  const open = await writeResolvedMerge(repo, sides, new Map(), signed)
  expect(open).toEqual({ kind: 'unresolved', paths: ['text'] })

  const done = await writeResolvedMerge(repo, sides, new Map([['text', Buffer.from('both\n')]]), signed)
  if (done.kind !== 'done') throw new Error('not done')
  expect(await realGit(repo.dir, 'show', `${done.oid}:text`)).toBe('both')
  expect(await realGit(repo.dir, 'show', '--no-patch', '--format=%P', done.oid)).toBe(`${sides.ours} ${sides.theirs}`)
  expect((await realGit(repo.dir, 'ls-tree', '--name-only', done.oid)).split('\n')).toEqual(['bin', 'dir', 'other', 'second', 'text'])
  const binary = await writeResolvedMerge(
    repo,
    { ours: await at('gone'), theirs: await at('top') },
    new Map([['text', Buffer.from('x')]]),
    signed,
  )
  expect(binary).toEqual({ kind: 'unresolved', paths: ['text'] })
})
