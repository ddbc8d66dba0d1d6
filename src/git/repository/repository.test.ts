import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, seed } from '../../../test/support/git.ts'
import { StartRefused } from '../../failure.ts'
import { readHead, setHead } from '../refs/head.ts'
import { createRepository, type Git, hashedPath, openGit, removeRepository, run } from './repository.ts'

let home: string
let git: Git

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-repository-'))
  git = await openGit(home)
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

test('a repository’s path depends on its id only', () => {
  expect(hashedPath(1)).toBe('6b/86/6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b.git')
  expect(new Set(Array.from({ length: 1_000 }, (_, id) => hashedPath(id))).size).toBe(1_000)
})

test('a new repository is bare, empty, without hooks of its own, and names its branch', async () => {
  const repo = git.open(1)
  await createRepository(repo, 'trunk')
  expect(await readHead(repo)).toBe('trunk')
  expect((await run(repo, ['rev-parse', '--is-bare-repository'])).toString()).toBe('true\n')
  expect((await readdir(repo.dir)).sort()).toEqual(['HEAD', 'config', 'objects', 'refs'])
})

test.each(['trunk', 'a/b-c_d', 'release.1', 'é'])(
  'a new repository with the branch %s is, byte for byte, what git init writes',
  async (branch) => {
    const repo = git.open(20 + branch.length)
    await createRepository(repo, branch)
    const byGit = join(await mkdtemp(join(home, 'init-')), 'bare.git')
    await realGit(home, 'init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`, byGit)
    expect(await treeOf(repo.dir)).toEqual(await treeOf(byGit))
  },
)

test('a branch name that git refuses makes no repository', async () => {
  const repo = git.open(30)
  for (const branch of ['a..b', 'a.lock', '/a', 'a/', 'a b', '', '@{1}']) {
    await expect(createRepository(repo, branch), branch).rejects.toThrow()
    await expect(stat(repo.dir), branch).rejects.toThrow('ENOENT')
  }
})

/** Every folder, and the text and the mode of every file. */
async function treeOf(dir: string): Promise<Map<string, unknown>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const tree = new Map<string, unknown>()
  for (const entry of entries.toSorted((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
    const path = join(entry.parentPath, entry.name)
    tree.set(path.slice(dir.length), entry.isFile() ? [await readFile(path, 'utf8'), (await stat(path)).mode] : 'folder')
  }
  return tree
}

test('creating it again, or many times at once, changes nothing', async () => {
  const repo = git.open(2)
  await Promise.all(Array.from({ length: 5 }, () => createRepository(repo, 'main')))
  await seed(repo.dir, [{ files: { a: 'a' } }])
  await setHead(repo, 'other')
  await createRepository(repo, 'third')
  expect([await readHead(repo), (await run(repo, ['rev-list', '--count', 'main'])).toString()]).toEqual(['other', '1\n'])
  expect((await readdir(join(repo.dir, '..'))).length).toBe(1)
})

test('a branch name git would not take makes no repository, and leaves nothing', async () => {
  const repo = git.open(3)
  await expect(createRepository(repo, 'a..b')).rejects.toMatchObject({ code: 'git_failed' })
  expect(await readdir(join(repo.dir, '..'))).toEqual([])
})

test('a removed repository is gone with its reader, and may be removed again', async () => {
  const repo = git.open(4)
  await createRepository(repo, 'main')
  expect(await git.objects.info(repo.dir, 'HEAD')).toBeNull()
  await removeRepository(repo)
  await removeRepository(repo)
  await expect(stat(repo.dir)).rejects.toThrow('ENOENT')
})

test('opening the same folder again changes nothing but what is out of date', async () => {
  const hook = join(home, 'git', 'hooks', 'pre-receive')
  await writeFile(hook, 'stale')
  const again = await openGit(home)
  again.close()
  expect(await readFile(hook, 'utf8')).toMatch(/^#!\/bin\/sh\n/)
  expect(((await stat(hook)).mode & 0o777).toString(8)).toBe('755')
  expect((await readdir(join(home, 'git'))).sort()).toEqual(['config', 'hooks'])
})

test('the probe fails when the storage isn’t writable', async () => {
  await git.probe()
  const broken = await openGit(join(home, 'broken'))
  await rm(join(home, 'broken', 'repositories'), { recursive: true })
  await expect(broken.probe()).rejects.toThrow('ENOENT')
  broken.close()
})

/** Opens a data folder with another program in the place of git. */
async function openWith(version: string | null): Promise<unknown> {
  const programs = await mkdtemp(join(home, 'bin-'))
  if (version !== null) {
    await writeFile(join(programs, 'git'), `#!/bin/sh\necho "${version}"\n`)
    await chmod(join(programs, 'git'), 0o755)
  }
  await mkdir(join(home, 'start'), { recursive: true })
  const path = process.env.PATH
  process.env.PATH = programs
  try {
    const opened = await openGit(join(home, 'start')).catch((error: unknown) => error)
    if (!(opened instanceof Error)) (opened as Git).close()
    return opened
  } finally {
    process.env.PATH = path
  }
}

test('a start without git, or with one too old, is refused with one line', async () => {
  for (const [version, line] of [
    [null, 'Gitstead needs git 2.38 or later; the git program could not be run'],
    ['git version 2.37.9', 'Gitstead needs git 2.38 or later; this is git version 2.37.9'],
    ['git version 1.99', 'Gitstead needs git 2.38 or later; this is git version 1.99'],
    ['something else', 'Gitstead needs git 2.38 or later; this is something else'],
  ] as const) {
    const refused = await openWith(version)
    expect(refused).toBeInstanceOf(StartRefused)
    expect((refused as Error).message).toBe(line)
  }
  for (const version of ['git version 2.38.0', 'git version 2.39.5 (Apple Git-154)', 'git version 3.0.rc1']) {
    expect(await openWith(version)).not.toBeInstanceOf(Error)
  }
})
