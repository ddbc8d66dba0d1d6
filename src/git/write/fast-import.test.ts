/** Commits as git itself reads them back. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit } from '../../../test/support/git.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { type FileChange, type NewCommit, writeCommit } from './fast-import.ts'

let home: string
let git: Git
let repo: Repo
const processes: string[] = []
const ada = { name: 'Ada', email: 'ada@example.com' }
const bob = { name: 'Bob', email: 'bob@example.com' }

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-commits-'))
  git = await openGit(home, { by_fork_server: true, onSpawn: (args) => processes.push(args[0] as string) })
  repo = git.open(1)
  await createRepository(repo, 'main')
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

const make = (commit: Partial<NewCommit> = {}) =>
  writeCommit(repo, { parents: [], author: ada, committer: bob, message: 'Made', ...commit })
const write = (path: string, content: string | Buffer, mode: '100644' | '100755' | '120000' = '100644'): FileChange => ({
  kind: 'write',
  path,
  mode,
  content: () => Buffer.from(content),
})
const tree = async (oid: string) => (await realGit(repo.dir, 'ls-tree', '-r', '--format=%(objectmode) %(path)', oid)).split('\n')
const show = (oid: string, format: string) => realGit(repo.dir, 'show', '--no-patch', `--format=${format}`, oid)

test('a commit has its people, its instant, its message and its files, and no ref points to it', async () => {
  const date = new Date('2001-02-03T04:05:06Z')
  const oid = await make({
    author: { ...ada, date },
    message: 'Title\n\nBody with "quotes" and ünïcode\n',
    changes: [write('a.txt', 'a\n'), write('bin/run', '#!/bin/sh\n', '100755'), write('link', 'a.txt', '120000')],
  })
  expect(await show(oid, '%an|%ae|%aI|%cn|%ce|%P|%B')).toBe(
    'Ada|ada@example.com|2001-02-03T04:05:06+00:00|Bob|bob@example.com||Title\n\nBody with "quotes" and ünïcode',
  )
  expect(await tree(oid)).toEqual(['100644 a.txt', '100755 bin/run', '120000 link'])
  expect(await realGit(repo.dir, 'for-each-ref')).toBe('')
  expect(await realGit(repo.dir, 'fsck', '--strict', '--no-dangling', oid)).toBe('')
})

test('changes start from the tree of the first parent, or from the tree that is named, in their order', async () => {
  const first = await make({ changes: [write('a', '1'), write('dir/b', '2')] })
  const blob = await realGit(repo.dir, 'rev-parse', `${first}:a`)
  const second = await make({
    parents: [first],
    changes: [
      { kind: 'delete', path: 'a' },
      { kind: 'place', path: 'dir/moved', mode: '100755', oid: blob },
      write('dir/b', 'x'),
      write('dir/b', 'y'),
    ],
  })
  expect(await tree(second)).toEqual(['100644 dir/b', '100755 dir/moved'])
  expect(await realGit(repo.dir, 'show', `${second}:dir/b`)).toBe('y')
  const merge = await make({ parents: [second, first], tree: await realGit(repo.dir, 'rev-parse', `${first}^{tree}`) })
  expect(await show(merge, '%P')).toBe(`${second} ${first}`)
  expect(await tree(merge)).toEqual(['100644 a', '100644 dir/b'])
})

test('a commit that leaves no file is one with the empty tree', async () => {
  const first = await make({ changes: [write('only', '1')] })
  const second = await make({ parents: [first], changes: [{ kind: 'delete', path: 'only' }] })
  expect(await show(second, '%T')).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
  const third = await make({ parents: [first], tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' })
  expect(await show(third, '%T')).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
})

test('any path and any byte arrives unchanged', async () => {
  const paths = ['-dash', 'a space ', 'quo"te', 'back\\slash', 'ünï/cödé 😀', '"', ':(glob)*', 'a'.repeat(255), `${'d/'.repeat(500)}deep`]
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
  const oid = await make({ changes: paths.map((path) => write(path, everyByte)) })
  const found = await realGit(repo.dir, 'ls-tree', '-r', '-z', '--name-only', oid)
  expect(found.split('\0').filter(Boolean).sort()).toEqual([...paths].sort())
  const ids = await realGit(repo.dir, 'ls-tree', '-r', '--object-only', oid)
  expect(new Set(ids.split('\n')).size).toBe(1)
  expect(await realGit(repo.dir, 'cat-file', '-s', ids.split('\n')[0] as string)).toBe('256')
})

test('names and emails lose only characters git can’t store', async () => {
  const oid = await make({
    author: { name: 'Eve <eve@x>\ncommitter Eve', email: 'a>\nb <c@d' },
    committer: { name: ' <>\n ', email: '' },
    message: 'Title',
  })
  expect(await show(oid, '%an|%ae|%cn|%ce')).toBe('Eve eve@xcommitter Eve|ab c@d|unknown|')
  expect(await realGit(repo.dir, 'fsck', '--strict', '--no-dangling', oid)).toBe('')
})

test('a message that looks like fast-import commands is only a message', async () => {
  const message = 'x\ndone\nreset refs/heads/main\nfrom 0\n\ndata 5\n'
  const oid = await make({ message })
  expect(await realGit(repo.dir, 'cat-file', 'commit', oid)).toContain(message.trimEnd())
  expect(await realGit(repo.dir, 'for-each-ref')).toBe('')
})

test('thousands of files cost one process, and are read one after the other', async () => {
  const count = 5_000
  let open = 0
  const changes = Array.from({ length: count }, (_, index): FileChange => {
    const content = () => Buffer.from(String(open++))
    return { kind: 'write', path: `${index % 70}/${index}`, mode: '100644', content }
  })
  processes.length = 0
  const oid = await make({ changes })
  expect([processes, open]).toEqual([['fast-import'], count])
  expect(await tree(oid)).toHaveLength(count)
})

test('a commit that can not be made is a failure, and leaves no branch', async () => {
  await expect(make({ parents: ['1'.repeat(40)] })).rejects.toMatchObject({ code: 'git_failed' })
  await expect(make({ changes: [{ kind: 'place', path: 'a', mode: '100644', oid: '1'.repeat(40) }] })).rejects.toMatchObject({
    code: 'git_failed',
  })
  expect(await realGit(repo.dir, 'for-each-ref')).toBe('')
  expect((await readdir(repo.dir)).filter((name) => name.startsWith('fast_import_crash'))).toEqual([])
})

test('a time before 1970, which git refuses, becomes the first there is', async () => {
  const oid = await make({ author: { ...ada, date: new Date('1969-07-20T20:17:40Z') } })
  expect(await show(oid, '%at')).toBe('0')
  await realGit(repo.dir, 'fsck', '--strict', oid)
})
