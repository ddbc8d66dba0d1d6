/** Branches through the API, against what git itself says of them. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let project: TestProject
let developer: TestUser
let reporter: TestUser
const api = (path: string, user = reporter) => forge.as(user).get(`/projects/${project.id}/repository/branches${path}`)

beforeAll(async () => {
  forge = await testForge()
  ;[developer, reporter] = await Promise.all([forge.user(), forge.user()])
  project = await forge.project({ developer, reporter, commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  await git(project.dir, 'branch', 'Old', 'main~1')
  await git(project.dir, 'branch', 'feature/one.two', 'main')
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  const ahead = await git(project.dir, 'commit-tree', '-p', 'main', '-m', 'Ahead', tree)
  await git(project.dir, 'branch', 'ahead', ahead)
})

test('the list is by name, with each tip, which is default and which are merged into it', async () => {
  const { status, body, headers } = await api('')
  const names = ['Old', 'ahead', 'feature/one.two', 'main']
  const rights = { developers_can_push: false, developers_can_merge: false, can_push: false }
  expect([status, headers['x-total']]).toEqual([200, '4'])
  expect(body).toEqual(
    await Promise.all(
      names.map(async (name) => ({
        name,
        commit: (await forge.as(reporter).get(`/projects/${project.id}/repository/commits?ref_name=${encodeURIComponent(name)}`)).body[0],
        // A branch that points to the same commit as the default branch doesn't count as merged.
        merged: name === 'Old',
        protected: name === 'main',
        default: name === 'main',
        ...rights,
      })),
    ),
  )
  expect(body.map(({ commit }: { commit: { id: string } }) => commit.id)).toEqual(
    (await git(project.dir, 'rev-parse', ...names)).split('\n'),
  )
})

test('the list can be searched by part of the name, whatever its case, and comes in pages', async () => {
  const names = async (query: string) => (await api(query)).body.map(({ name }: { name: string }) => name)
  expect(await names('?search=o')).toEqual(['Old', 'feature/one.two'])
  expect(await names('?search=ONE.')).toEqual(['feature/one.two'])
  expect(await names('?search=*')).toEqual([])
  expect(await names('?search=')).toEqual(['Old', 'ahead', 'feature/one.two', 'main'])
  expect(await names('?search=^a')).toEqual(['ahead'])
  expect(await names('?search=^O')).toEqual(['Old'])
  expect(await names('?search=d$')).toEqual(['Old', 'ahead'])
  expect(await names('?search=^main$')).toEqual(['main'])
  expect(await names('?search=^mai$')).toEqual([])
  expect(await names('?search=^$')).toEqual([])
  expect(await names('?search=$')).toEqual(['Old', 'ahead', 'feature/one.two', 'main'])
  expect(await names('?per_page=3&page=2')).toEqual(['main'])
  expect((await api('?search=o&per_page=1')).headers['x-total']).toBe('2')
})

test('the list is sorted by name, or by the date of the last commits', async () => {
  const at = (branch: string, time: number) => ({ branch, time, files: { [branch]: '1' } })
  const commits = [at('main', 1_700_000_000), at('b-new', 1_900_000_000), at('a-old', 1_500_000_000), at('c-newest', 1_950_000_000)]
  const dated = await forge.project({ reporter, commits })
  const names = async (query: string) => {
    const { status, body } = await forge.as(reporter).get(`/projects/${dated.id}/repository/branches${query}`)
    return status === 200 ? body.map(({ name }: { name: string }) => name).join(' ') : [status, body]
  }
  for (const query of ['', '?sort=', '?sort=name', '?sort=name_asc']) expect(await names(query)).toBe('a-old b-new c-newest main')
  expect(await names('?sort=updated_desc')).toBe('c-newest b-new main a-old')
  expect(await names('?sort=updated_asc')).toBe('a-old main b-new c-newest')
  expect(await names('?sort=updated_desc&search=new&per_page=1&page=2')).toBe('b-new')
  expect(await names('?sort=size')).toEqual([400, { error: 'sort does not have a valid value' }])
})

test('one branch is the same as in the list, with a slash in its name too', async () => {
  for (const branch of (await api('')).body) expect((await api(`/${encodeURIComponent(branch.name)}`)).body).toEqual(branch)
})

test('can_push is that of the caller: fewer can push to a protected branch', async () => {
  const maintainer = await forge.user()
  const open = await forge.project({ visibility: 'public', maintainer, developer, reporter })
  await git(open.dir, 'branch', 'work', 'main')
  const clients = [forge.root, maintainer, developer, reporter, await forge.user()].map((user) => forge.as(user))
  const canPush = (branch: string) =>
    Promise.all(
      [...clients, forge.anonymous].map(async (client) => {
        const { body } = await client.get(`/projects/${open.id}/repository/branches/${branch}`)
        return body.can_push as boolean
      }),
    )
  expect(await canPush('main')).toEqual([true, true, false, false, false, false])
  expect(await canPush('work')).toEqual([true, true, true, false, false, false])
})

test('HEAD answers whether a branch exists, without a body', async () => {
  const head = async (name: string) => {
    const { status, text } = await forge.as(reporter).head(`/projects/${project.id}/repository/branches/${encodeURIComponent(name)}`)
    return [status, text]
  }
  expect([await head('main'), await head('feature/one.two'), await head('nothing')]).toEqual([
    [204, ''],
    [204, ''],
    [404, ''],
  ])
})

test('nobody can push to an archived project', async () => {
  const archived = await forge.project()
  const canPush = async () => (await forge.as(forge.root).get(`/projects/${archived.id}/repository/branches/main`)).body.can_push
  const before = await canPush()
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', archived.id).execute()
  expect([before, await canPush()]).toEqual([true, false])
})

test('an unknown branch, a tag and a commit are 404, and an invalid name is rejected', async () => {
  await git(project.dir, 'tag', 'v1', 'main')
  for (const name of ['nothing', 'v1', 'feature', 'refs/heads/main', await git(project.dir, 'rev-parse', 'main')]) {
    const { status, body } = await api(`/${encodeURIComponent(name)}`)
    expect([name, status, body]).toEqual([name, 404, { message: '404 Branch Not Found' }])
  }
  for (const name of ['branch*', '-n', '--all', 'a..b', 'a b', 'main^', 'x.lock', 'a//b', '@', 'main\n']) {
    const { status, body } = await api(`/${encodeURIComponent(name)}`)
    expect([name, status, body]).toEqual([name, 400, { message: 'The branch refname is invalid' }])
  }
})

test('a repository without a commit has no branches', async () => {
  const empty = await forge.project({ files: null })
  const { status, body, headers } = await forge.as(forge.root).get(`/projects/${empty.id}/repository/branches`)
  expect([status, body, headers['x-total']]).toEqual([200, [], '0'])
})
