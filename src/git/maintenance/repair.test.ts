/** A repository is repaired after a power cut, and its commits are reachable again. */
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { git, seed, tryGit } from '../../../test/support/git.ts'
import { createRepository, run } from '../repository/repository.ts'
import { repairRepository } from './repair.ts'

const breakages = {
  'an empty HEAD': (dir: string) => truncate(join(dir, 'HEAD')),
  'a HEAD of zeros': (dir: string) => writeFile(join(dir, 'HEAD'), Buffer.alloc(23)),
  'no HEAD': (dir: string) => rm(join(dir, 'HEAD')),
  'an empty configuration': (dir: string) => truncate(join(dir, 'config')),
  'a configuration of zeros': (dir: string) => writeFile(join(dir, 'config'), Buffer.alloc(66)),
}

test.each(Object.entries(breakages))('%s is repaired', async (_, harm) => {
  const repo = await bareRepository()
  await seed(repo.dir, [{ files: { a: 'a' }, branch: 'trunk' }])
  const tip = await git(repo.dir, 'rev-parse', 'refs/heads/trunk')
  await harm(repo.dir)

  expect(await repairRepository(repo, 'trunk')).toHaveLength(1)

  expect((await run(repo, ['rev-parse', '--is-bare-repository'])).toString()).toBe('true\n')
  expect((await run(repo, ['rev-parse', 'refs/heads/trunk'])).toString()).toBe(`${tip}\n`)
  expect((await tryGit(repo.dir, 'fsck')).code).toBe(0)
  expect(await repairRepository(repo, 'main')).toEqual([])
})

test('a repaired HEAD names the default branch, and a whole one stays', async () => {
  const repo = await bareRepository()
  expect(await repairRepository(repo, 'trunk')).toEqual([])
  expect(await readFile(join(repo.dir, 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n')
  await truncate(join(repo.dir, 'HEAD'))
  expect(await repairRepository(repo, 'trunk')).toEqual(['HEAD'])
  expect(await readFile(join(repo.dir, 'HEAD'), 'utf8')).toBe('ref: refs/heads/trunk\n')
})

test('where the folders are gone with the rest they are made again; where there is no repository none is made', async () => {
  const repo = await bareRepository()
  await rm(repo.dir, { recursive: true })
  expect(await repairRepository(repo, 'main')).toBeNull()
  await mkdir(repo.dir)
  expect(await repairRepository(repo, 'main')).toEqual(['config', 'HEAD'])
  await createRepository(repo, 'main')
  expect((await run(repo, ['for-each-ref'])).toString()).toBe('')
})
