/** HEAD is written as git writes it: whole, under its lock. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { readHead, setHead } from './head.ts'

test('the last of concurrent writers wins, and the file is always complete', async () => {
  const repo = await bareRepository()
  const branches = Array.from({ length: 8 }, (_, index) => `branch-${index}`)
  await Promise.all(branches.map((branch) => setHead(repo, branch)))
  expect(branches).toContain(await readHead(repo))
  await setHead(repo, 'ünï/cödé')
  expect(await readHead(repo)).toBe('ünï/cödé')
  expect((await readdir(repo.dir)).sort()).toEqual(['HEAD', 'config', 'objects', 'refs'])
})

test('a writer waits for the lock', async () => {
  const repo = await bareRepository()
  const lock = join(repo.dir, 'HEAD.lock')
  await writeFile(lock, '')
  const setting = setHead(repo, 'other')
  expect(await Promise.race([setting.then(() => 'set'), readHead(repo)])).toBe('main')
  await rm(lock)
  await setting
  expect(await readFile(join(repo.dir, 'HEAD'), 'utf8')).toBe('ref: refs/heads/other\n')
})

test('an invalid branch name is rejected', async () => {
  const repo = await bareRepository()
  for (const branch of ['', 'a b', 'a\nb']) await expect(setHead(repo, branch)).rejects.toThrow('no such branch')
  expect(await readHead(repo)).toBe('main')
})
