import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'

test('a lightweight tag has no message and points to its commit; an annotated one to its tag object', async () => {
  const forge = await testForge()
  const reporter = await forge.user()
  const project = await forge.project({ reporter })
  await git(project.dir, 'tag', 'v1', 'main')
  await git(project.dir, 'tag', '-m', 'Second\n\nwith a body', 'v2', 'main')
  const commit = await git(project.dir, 'rev-parse', 'main')
  const tagObject = await git(project.dir, 'rev-parse', 'v2')

  const { body, headers } = await forge.as(reporter).get(`/projects/${project.id}/repository/tags?order_by=name&sort=asc`)

  expect(headers['x-total']).toBe('2')
  expect(body).toMatchObject([
    { name: 'v1', message: null, target: commit, commit: { id: commit, title: 'First commit' }, release: null },
    { name: 'v2', message: 'Second\n\nwith a body', target: tagObject, commit: { id: commit } },
  ])
})

test('an unknown tag, and a name git would not take, are not found', async () => {
  const forge = await testForge()
  const project = await forge.project()
  for (const name of ['nothing', '-n', 'a..b', 'a b', 'v1%0a', '%00']) {
    const answer = await forge.as(forge.root).get(`/projects/${project.id}/repository/tags/${encodeURIComponent(decodeURIComponent(name))}`)
    expect([name, answer.status, answer.body]).toEqual([name, 404, { message: '404 Tag Not Found' }])
  }
})
