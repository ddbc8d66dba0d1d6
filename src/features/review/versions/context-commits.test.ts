import { expect, test } from 'vitest'
import { type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

test('commits from outside of a merge request are added to it by their ids, listed and removed', async () => {
  const forge = await testForge()
  const [developer, reporter] = [await forge.user(), await forge.user()]
  const project = await forge.project({
    developer,
    reporter,
    commits: ['one', 'two', 'three'].map((message) => ({ message, files: { a: message } })),
  })
  const other = await forge.project({ developer, commits: [{ message: 'of another', files: { b: '1' } }] })
  const api = forge.as(developer)
  const oidOf = ({ dir }: TestProject, revision: string) => git(dir, 'rev-parse', revision)
  const [first, second, foreign] = [await oidOf(project, 'main~2'), await oidOf(project, 'main~1'), await oidOf(other, 'main')]
  await api.post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  const change = { branch: 'topic', content: 'x', commit_message: 'Change' }
  await api.post(`/projects/${project.id}/repository/files/b`, change)
  const request = (
    await api.post(`/projects/${project.id}/merge_requests`, { title: 'Topic', source_branch: 'topic', target_branch: 'main' })
  ).body
  const at = `/projects/${project.id}/merge_requests/${request.iid}/context_commits`
  const listed = async () => (await forge.as(reporter).get(at)).body.map(({ id }: { id: string }) => id)

  const added = await api.post(at, { commits: [second, first.slice(0, 10), second] })
  expect([added.status, added.body.map(({ id, title }: { id: string; title: string }) => [id, title])]).toEqual([
    201,
    [
      [second, 'two'],
      [first, 'one'],
    ],
  ])
  expect((await api.post(at, { commits: [first] })).status).toBe(201)
  expect(await listed()).toEqual([second, first])

  for (const odd of [foreign, 'main', 'topic', '../main', 'HEAD', `${first}~1`, 'f'.repeat(40), 'f'.repeat(2_000), ''])
    expect([odd, (await api.post(at, { commits: [first, odd] })).status]).toEqual([odd, 400])
  expect((await api.post(at, { commits: [`${first.slice(0, 8)}\0`] })).status).toBe(400)
  expect((await api.post(at, { commits: [] })).status).toBe(400)
  expect((await api.post(at, { commits: Array.from({ length: 101 }, () => first) })).status).toBe(400)
  expect((await forge.as(reporter).post(at, { commits: [first] })).status).toBe(403)
  expect((await forge.as(reporter).delete(at, { commits: [first] })).status).toBe(403)
  expect(await listed()).toEqual([second, first])

  // One that git has removed is left out.
  await forge.app.db
    .insertInto('context_commits')
    .values({ merge_request_id: request.id, oid: 'e'.repeat(40) })
    .execute()
  expect(await listed()).toEqual([second, first])
  expect((await api.delete(at, { commits: [second, 'e'.repeat(40)] })).status).toBe(204)
  expect([await listed(), (await forge.as(reporter).get(at)).headers['x-total']]).toEqual([[first], '1'])
})
