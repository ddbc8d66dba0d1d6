/** Snapshots of repositories: whole, and for administrators alone. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'

const exec = promisify(execFile)

test('an administrator gets every ref and object of a repository, loose or packed, and nothing else', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { a: '1' } }] })
  await git(project.dir, 'repack', '-a', '-d', '-q')
  await git(project.dir, 'pack-refs', '--all')
  await git(project.dir, 'update-ref', 'refs/heads/side/one', await git(project.dir, 'commit-tree', '-m', 'Loose', 'main^{tree}'))
  await writeFile(join(project.dir, 'refs', 'heads', 'main.lock'), 'half')

  const { status, headers, bytes } = await forge.as(forge.root).get(`/projects/${project.id}/snapshot`)

  expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
    200,
    'application/x-tar',
    'attachment; filename="snapshot.tar"',
  ])
  const folder = await forge.folder()
  await writeFile(join(folder, 'snapshot.tar'), bytes)
  await mkdir(join(folder, 'copy'))
  await exec('tar', ['-xf', join(folder, 'snapshot.tar'), '-C', join(folder, 'copy')])
  expect((await readdir(join(folder, 'copy'))).sort()).toEqual(['HEAD', 'objects', 'packed-refs', 'refs'])
  const copy = join(folder, 'copy')
  expect(await git(copy, 'fsck', '--full', '--strict')).toBe('')
  expect(await git(copy, 'for-each-ref')).toBe(await git(project.dir, 'for-each-ref'))
  expect(await git(copy, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
})

test('a snapshot of an empty repository can be read by git; a missing wiki has none', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const { status, bytes } = await forge.as(forge.root).get(`/projects/${project.id}/snapshot`)
  const folder = await forge.folder()
  await writeFile(join(folder, 'snapshot.tar'), bytes)
  await exec('tar', ['-xf', join(folder, 'snapshot.tar'), '-C', folder])
  expect([status, await git(folder, 'for-each-ref')]).toEqual([200, ''])
  const wiki = await forge.as(forge.root).get(`/projects/${project.id}/snapshot?wiki=true`)
  expect([wiki.status, wiki.body]).toEqual([404, { message: '404 Repository Not Found' }])
})

test('others get no snapshot, owners included', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner, visibility: 'public' })
  const path = `/projects/${project.id}/snapshot`
  expect((await forge.anonymous.get(path)).status).toBe(401)
  const refused = await forge.as(owner).get(path)
  expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
})
