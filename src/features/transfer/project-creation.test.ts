/** Projects that begin with a README: one request, one commit, or no project. */
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git, tryGit } from '../../../test/support/git.ts'

test('a project can be created with a README on the given branch, recorded as a push', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const wanted = { name: 'Begun', description: 'What for', initialize_with_readme: true, default_branch: 'trunk' }
  const { status, body } = await forge.as(user).post('/projects', wanted)
  expect([status, body]).toMatchObject([201, { default_branch: 'trunk', readme_url: expect.stringMatching(/trunk\/README\.md$/) }])
  const { dir } = forge.app.git.open(body.id)
  expect(await git(dir, 'show', 'HEAD:README.md')).toBe('# Begun\n\nWhat for')
  expect(await git(dir, 'log', '--format=%an %s')).toBe(`${user.name} Initial commit`)
  expect((await tryGit(dir, 'fsck', '--strict')).code).toBe(0)
  expect(await git(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/trunk')
  const events = await forge.app.db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', body.id)
    .where('ref', 'is not', null)
    .execute()
  expect(events).toMatchObject([{ action: 'pushed', ref: 'refs/heads/trunk', author_id: user.id }])
  expect((await forge.as(user).get(`/projects/${body.id}/protected_branches`)).body).toMatchObject([{ name: 'trunk' }])
  expect(await forge.app.db.selectFrom('push_intents').selectAll().execute()).toEqual([])
})

test('without one it is empty; a branch that cannot be leaves no project', async () => {
  const forge = await testForge()
  const user = await forge.user()
  expect((await forge.as(user).post('/projects', { name: 'Empty' })).body.default_branch).toBeNull()
  for (const default_branch of ['HEAD', 'a'.repeat(40), 'refs/heads/x']) {
    const answer = await forge.as(user).post('/projects', { name: 'Wrong', initialize_with_readme: true, default_branch })
    expect([default_branch, answer.status]).toEqual([default_branch, 400])
  }
  expect((await forge.as(user).get('/projects?owned=true&simple=true')).body).toHaveLength(1)
  expect((await forge.as(user).post('/projects', { name: 'X', initialize_with_readme: 'perhaps' })).status).toBe(400)
})
