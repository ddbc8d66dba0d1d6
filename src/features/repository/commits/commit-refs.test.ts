/** The branches and tags that lead to a commit, against what git itself says. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let reporter: TestUser
let project: TestProject
const get = (sha: string, query = '') =>
  forge.as(reporter).get(`/projects/${project.id}/repository/commits/${encodeURIComponent(sha)}/refs${query}`)

beforeAll(async () => {
  forge = await testForge()
  reporter = await forge.user()
  project = await forge.project({ reporter, commits: ['1', '2', '3'].map((a) => ({ files: { a } })) })
  await git(project.dir, 'branch', 'with/slash', 'main~1')
  await git(project.dir, 'branch', 'refs/heads/odd', 'main')
  await git(project.dir, 'tag', 'light', 'main~1')
  await git(project.dir, 'tag', '-m', 'Annotated', 'main', 'main')
  await git(project.dir, 'tag', 'blob', 'main:a')
})

test('all refs from which a commit can be reached are listed, branches before tags, each kind by name', async () => {
  const branches = [
    { type: 'branch', name: 'main' },
    { type: 'branch', name: 'refs/heads/odd' },
    { type: 'branch', name: 'with/slash' },
  ]
  const tags = [
    { type: 'tag', name: 'light' },
    { type: 'tag', name: 'main' },
  ]
  for (const sha of ['light', await git(project.dir, 'rev-parse', 'light'), 'refs/heads/main~2']) {
    expect([sha, (await get(sha)).body]).toEqual([sha, [...branches, ...tags]])
    expect([sha, (await get(sha, '?type=branch')).body]).toEqual([sha, branches])
    expect([sha, (await get(sha, '?type=tag')).body]).toEqual([sha, tags])
  }
  expect((await get('refs/heads/main')).body).toEqual([branches[0], branches[1], tags[1]])
  const second = await get('light', '?per_page=2&page=2')
  expect([second.headers['x-total'], second.body]).toEqual(['5', [branches[2], tags[0]]])
})

test('a branch or tag just created, moved or deleted shows at once', async () => {
  const names = async () => (await get('light')).body.map(({ name }: { name: string }) => name)
  const before = await names()
  await git(project.dir, 'tag', 'zz', 'main')
  expect(await names()).toEqual([...before, 'zz'])
  await git(project.dir, 'tag', '--force', 'zz', 'light~1')
  expect(await names()).toEqual(before)
  await git(project.dir, 'branch', '-D', 'with/slash')
  expect(await names()).toEqual(before.filter((name: string) => name !== 'with/slash'))
})

test('an id that is no commit is not found; an object of another type is refused', async () => {
  for (const sha of ['nothing', 'blob', '-n', '--all', '0'.repeat(40), 'main..light', 'a b', '\0', 'main/below', 'x'.repeat(300)]) {
    const { status, body } = await get(sha)
    expect([sha, status, body]).toEqual([sha, 404, { message: '404 Commit Not Found' }])
  }
  const { status, body } = await get('light', '?type=note')
  expect([status, body]).toEqual([400, { error: 'type does not have a valid value' }])
})
