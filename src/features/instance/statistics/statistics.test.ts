/** The instance reports its version, and counts of its users, projects and other rows. */
import { expect, test } from 'vitest'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { testForge } from '../../../../test/support/forge.ts'

test('the metadata has the version, for every user', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const { body: version } = await forge.as(user).get('/version')
  const kas = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null }
  const { status, body } = await forge.as(user).get('/metadata')
  expect([status, body]).toEqual([200, { ...version, kas, enterprise: false }])
  expect((await forge.anonymous.get('/metadata')).status).toBe(401)
})

test('the statistics count everything, for administrators', async () => {
  const forge = await testForge()
  const count = async () => (await forge.as(forge.root).get('/application/statistics')).body
  const before = await count()
  const user = await forge.user()
  await forge.user({ state: 'blocked' })
  const group = await forge.group({ owner: user, visibility: 'public' })
  const project = await forge.project({ group, visibility: 'public' })
  const fork = await forge.project({ owner: user, visibility: 'public', files: null })
  await forge.as(forge.root).post(`/projects/${fork.id}/fork/${project.id}`)
  await forge.as(user).post('/user/keys', { title: 'Laptop', key: publicKey() })
  await forge.as(user).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Well' })
  const issue = await forge.issue(project, user)
  await forge.note(project, issue, user)
  await forge.as(user).post(`/projects/${project.id}/milestones`, { title: 'First' })
  await forge.as(user).post('/snippets', { title: 'A', file_name: 'a', content: 'a' })
  expect(await count()).toEqual({
    forks: before.forks + 1,
    issues: before.issues + 1,
    merge_requests: before.merge_requests,
    notes: before.notes + 2,
    snippets: before.snippets + 1,
    ssh_keys: before.ssh_keys + 1,
    milestones: before.milestones + 1,
    users: before.users + 2,
    groups: before.groups + 1,
    projects: before.projects + 2,
    active_users: before.active_users + 1,
  })
  expect((await forge.as(user).get('/application/statistics')).status).toBe(403)
  expect((await forge.anonymous.get('/application/statistics')).status).toBe(401)
})
