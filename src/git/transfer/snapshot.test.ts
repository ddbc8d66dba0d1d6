/** Snapshots of repositories that change or vanish meanwhile. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { snapshotOf } from './snapshot.ts'

async function repository() {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  await git(project.dir, 'branch', 'feature/one')
  return { dir: project.dir, repo: forge.app.git.open(project.id) }
}

async function names(files: AsyncIterable<{ name: string }>): Promise<string[]> {
  const found: string[] = []
  for await (const { name } of files) found.push(name)
  return found
}

test('a repository that is gone is no empty one', async () => {
  const { dir, repo } = await repository()
  await rm(dir, { recursive: true })
  await expect(names(snapshotOf(repo))).rejects.toThrow('404 Repository Not Found')
})

test('nor is one whose objects have gone since its refs were sent', async () => {
  const { dir, repo } = await repository()
  const files = snapshotOf(repo)
  expect((await files.next()).value?.name).toBe('HEAD')
  await rm(join(dir, 'objects'), { recursive: true })
  await expect(names(files)).rejects.toThrow('404 Repository Not Found')
})

test('what git packs and removes meanwhile is in the snapshot once, packed', async () => {
  const { dir, repo } = await repository()
  const files = snapshotOf(repo)
  const found = [(await files.next()).value?.name]
  await git(dir, 'repack', '-a', '-d', '-q')
  found.push(...(await names(files)))
  expect(found.filter((name) => name?.startsWith('objects/pack/')).length).toBeGreaterThan(1)
  expect(found).toContain('refs/heads/feature/one')
})
