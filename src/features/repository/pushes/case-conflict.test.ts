/** Refs that differ only in case where the file system ignores it. That is simulated: the rules are told so. */
import { expect, test } from 'vitest'
import { clone } from '../../../../test/scripts/git/wire.ts'
import { type Forge, openForge, testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'

async function ignoringCase(): Promise<Forge> {
  const forge = await openForge()
  forge.app.git.ignoresCase = true
  return forge
}

test('a branch, a tag or a folder that differs only in case is rejected, by the API and by git, and nothing moves', async () => {
  const forge = await ignoringCase()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  for (const name of ['feature/one', 'straße', 'e\u0301']) await git(project.dir, 'branch', name, 'main')
  await git(project.dir, 'tag', 'v1', 'main')
  const before = await git(project.dir, 'for-each-ref')
  const names = ['MAIN', 'Main', 'Feature/two', 'FEATURE/one', 'STRASSE', '\u00e9']
  for (const branch of names) {
    const { status, body } = await forge.as(developer).post(`/projects/${project.id}/repository/branches`, { branch, ref: 'main' })
    expect([branch, status, body.message]).toEqual([branch, 400, expect.stringMatching(/ differs only in case from refs\/heads\//)])
  }
  const tag = await forge.as(developer).post(`/projects/${project.id}/repository/tags`, { tag_name: 'V1', ref: 'main' })
  expect([tag.status, tag.body.message]).toEqual([405, expect.stringContaining('differs only in case from refs/tags/v1,')])

  const dir = await clone(await forge.remote(project, developer))
  for (const refspecs of [['HEAD:refs/heads/MAIN'], [':refs/heads/Feature/one'], ['HEAD:refs/heads/x', 'HEAD:refs/heads/X']]) {
    const { code, stderr } = await tryGit(dir, 'push', '--quiet', await forge.remote(project, developer), ...refspecs)
    expect([refspecs, code]).toEqual([refspecs, 1])
    expect(stderr).toMatch(/differs only in case from|remote ref does not exist/)
  }
  expect(await git(project.dir, 'for-each-ref')).toBe(before)

  const added = await forge.as(developer).post(`/projects/${project.id}/repository/branches`, { branch: 'feature/two', ref: 'main' })
  expect(added.status).toBe(201)
  expect((await forge.as(developer).delete(`/projects/${project.id}/repository/branches/feature%2Ftwo`)).status).toBe(204)
})

test('a file system that distinguishes case takes both', async () => {
  const forge = await testForge()
  const project = await forge.project()
  expect(forge.app.git.ignoresCase).toBe(false)
  const { status } = await forge.as(forge.root).post(`/projects/${project.id}/repository/branches`, { branch: 'MAIN', ref: 'main' })
  expect(status).toBe(201)
})
