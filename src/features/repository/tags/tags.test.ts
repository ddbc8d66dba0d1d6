/** Tags through the API, against what git itself says of them. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let reporter: TestUser
let project: TestProject
const api = (path: string) => forge.as(reporter).get(`/projects/${project.id}/repository/tags${path}`)

beforeAll(async () => {
  forge = await testForge()
  reporter = await forge.user()
  project = await forge.project({ reporter, commits: ['one', 'two', 'three'].map((message) => ({ message, files: { a: message } })) })
  await git(project.dir, 'tag', 'b-light', 'main~1')
  await git(project.dir, 'tag', '--message', 'Second\n\nwith a body', 'c/annotated', 'main~2')
  await git(project.dir, 'tag', 'a-newest', 'main')
})

test('a lightweight tag has no message and points to its commit; an annotated one to its tag object', async () => {
  const { body, headers } = await api('?order_by=name&sort=asc')

  const commitOf = async (revision: string) =>
    (await forge.as(reporter).get(`/projects/${project.id}/repository/commits?per_page=1&ref_name=${revision}`)).body[0]
  const rev = (name: string) => git(project.dir, 'rev-parse', name)
  expect(headers['x-total']).toBe('3')
  expect(body).toEqual([
    { name: 'a-newest', message: null, target: await rev('main'), commit: await commitOf('main'), release: null },
    { name: 'b-light', message: null, target: await rev('main~1'), commit: await commitOf('main~1'), release: null },
    {
      name: 'c/annotated',
      message: 'Second\n\nwith a body',
      target: await rev('c/annotated'),
      commit: await commitOf('main~2'),
      release: null,
    },
  ])
})

test('the list is by the date of the commits, newest first, or by name, either way, in pages', async () => {
  const names = async (query: string) => (await api(query)).body.map(({ name }: { name: string }) => name)
  expect(await names('')).toEqual(['a-newest', 'b-light', 'c/annotated'])
  expect(await names('?sort=asc')).toEqual(['c/annotated', 'b-light', 'a-newest'])
  expect(await names('?order_by=name')).toEqual(['c/annotated', 'b-light', 'a-newest'])
  expect(await names('?order_by=updated&sort=desc&per_page=2&page=2')).toEqual(['c/annotated'])
  const wrong = await api('?order_by=size')
  expect([wrong.status, wrong.body]).toEqual([400, { error: 'order_by does not have a valid value' }])
})

test('one tag is the same as in the list, with a slash in its name too', async () => {
  for (const tag of (await api('')).body) expect((await api(`/${encodeURIComponent(tag.name)}`)).body).toEqual(tag)
})

test('a tag of a file has no commit, and a tag of a tag leads to the commit behind both', async () => {
  const own = await forge.project()
  await git(own.dir, 'tag', 'file', 'main:README.md')
  await git(own.dir, 'tag', '--message', 'A file', 'file-annotated', 'main:README.md')
  await git(own.dir, 'tag', '--message', 'Inner', 'inner', 'main')
  await git(own.dir, 'tag', '--message', 'Outer', 'outer', 'inner')
  const { status, body } = await forge.as(forge.root).get(`/projects/${own.id}/repository/tags?order_by=name&sort=asc`)
  const commit = { id: await git(own.dir, 'rev-parse', 'main') }
  expect(status).toBe(200)
  expect(body).toMatchObject([
    { name: 'file', message: null, commit: null, target: await git(own.dir, 'rev-parse', 'file') },
    { name: 'file-annotated', message: 'A file', commit: null, target: await git(own.dir, 'rev-parse', 'file-annotated') },
    { name: 'inner', message: 'Inner', commit },
    { name: 'outer', message: 'Outer', commit, target: await git(own.dir, 'rev-parse', 'outer') },
  ])
})

test('a deleted tag is gone with the next request', async () => {
  const own = await forge.project()
  await git(own.dir, 'tag', 'v1', 'main')
  const status = async () => (await forge.as(forge.root).get(`/projects/${own.id}/repository/tags/v1`)).status
  const before = await status()
  await git(own.dir, 'tag', '--delete', 'v1')
  expect([before, await status()]).toEqual([200, 404])
})

test('an unknown tag, a branch, and a name git would not take, are not found', async () => {
  for (const name of ['nothing', 'main', 'c', '-n', 'a..b', 'a b', 'v1\n', '\0']) {
    const answer = await api(`/${encodeURIComponent(name)}`)
    expect([name, answer.status, answer.body]).toEqual([name, 404, { message: '404 Tag Not Found' }])
  }
})
