import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git, gitWriting } from '../../../test/support/git.ts'
import { patchId } from './patch-id.ts'

test('the id is that of git, null without changes, and a diff that is too long is refused', async () => {
  const forge = await testForge()
  const long = 'a line of some length\n'.repeat(450_000)
  const project = await forge.project({ commits: [{ files: { a: 'one\n' } }, { files: { a: 'two\n', b: 'x\n' } }, { files: { long } }] })
  const repo = forge.app.git.open(project.id)
  const [first = '', second = '', third = ''] = (await git(project.dir, 'rev-list', '--reverse', 'main')).split('\n')
  const diff = `${await git(project.dir, 'diff-tree', '-p', first, second)}\n`
  const [expected] = (await gitWriting(project.dir, diff, 'patch-id', '--stable')).split(' ')
  expect(await patchId(repo, first, second)).toBe(expected)
  expect(await patchId(repo, null, first)).toMatch(/^[0-9a-f]{40}$/)
  expect(await patchId(repo, first, first)).toBeNull()
  await expect(patchId(repo, second, third)).rejects.toMatchObject({ code: 'too_large' })
})
