import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { type FileMode, writeCommit } from '../write/fast-import.ts'
import { fsckError, isLookedInto } from './fsck.ts'

let home: string
let git: Git
let repo: Repo

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead fsck:"-'))
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

const ada = { name: 'Ada', email: 'ada@example.com' }
const make = (path: string, content: string, mode: FileMode = '100644', parents: string[] = []) => {
  const changes = [{ kind: 'write' as const, path, mode, content: () => Buffer.from(content) }]
  return writeCommit(repo, { parents, author: ada, committer: ada, message: 'x', changes })
}
const evil = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=evil\n'

test('harmless objects pass fsck, and others fail with the reason', async () => {
  expect(await fsckError(repo, await make('.gitmodules', '[submodule "x"]\n\turl = https://x/y\n'), [])).toBeNull()
  expect(await fsckError(repo, await make('a/.gitmodules', evil), [])).toMatch(/^gitmodulesUrl: /)
  expect(await fsckError(repo, await make('.gitmodules', 'x', '120000'), [])).toMatch(/^gitmodulesSymlink: /)
  expect(await fsckError(repo, await make('.git', 'x'), [])).toMatch(/^hasDotgit: /)
})

test('problems inherited from a parent don’t count, and no temporary file is left', async () => {
  const parent = await make('.git', 'x')
  const child = await make('a/b', 'x', '100644', [parent])
  expect(await fsckError(repo, await make('a', 'x', '100644'), [])).toBeNull()
  expect(await fsckError(repo, parent, [parent])).toBeNull()
  expect(await fsckError(repo, child, [])).toMatch(/^hasDotgit: /)
  expect((await readdir(join(repo.dir, 'objects'))).filter((name) => name.startsWith('tmp_'))).toEqual([])
})

test('a git failure throws, and is not reported as a bad object', async () => {
  await expect(fsckError(repo, 'f'.repeat(40), [])).rejects.toMatchObject({ code: 'git_failed' })
})

test('every name that some file system maps to these files is checked', () => {
  const names = [
    '.gitmodules',
    'a/.GitModules',
    'a\\.gitmodules',
    '.gitmodules ',
    'GITMOD~1',
    'gi7eba~4',
    '.g\u200citmodules',
    '.gitattributes',
    'gi7d29~1',
  ]
  expect(names.filter((name) => !isLookedInto(name))).toEqual([])
  expect(['git', 'gitmodules', 'README.md', '.github/x', 'given', 'a.gitmodules'].filter(isLookedInto)).toEqual([])
})
