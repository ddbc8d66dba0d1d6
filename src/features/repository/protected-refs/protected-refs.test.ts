/** Protected branches and tags through the API. What they do to a push is told in test/scripts/git/protection.test.ts. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer] = await Promise.all([forge.user(), forge.user()])
})

const fresh = () => forge.project({ maintainer, developer, files: null })

const level = (access_level: number) => [
  { access_level, access_level_description: { 0: 'No one', 30: 'Developers + Maintainers', 40: 'Maintainers' }[access_level] },
]
const branchRule = (name: string, push: number, merge: number, allow_force_push = false) => ({
  id: expect.any(Number),
  name,
  push_access_levels: level(push),
  merge_access_levels: level(merge),
  allow_force_push,
  code_owner_approval_required: false,
})
const tagRule = (name: string, create: number) => ({ name, create_access_levels: level(create) })

/** The two families, which differ in their words only. */
const families = [
  { kind: 'branch', path: 'protected_branches', shown: (name: string): object => branchRule(name, 40, 40) },
  { kind: 'tag', path: 'protected_tags', shown: (name: string): object => tagRule(name, 40) },
]

const at = (project: TestProject, path: string, name?: string) =>
  `/projects/${project.id}/${path}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`

test('a branch is protected for the given levels, maintainers by default', async () => {
  const project = await fresh()
  const protect = async (body: object) => (await forge.as(maintainer).post(at(project, 'protected_branches'), body)).body
  expect(await protect({ name: 'a' })).toEqual(branchRule('a', 40, 40))
  expect(await protect({ name: 'b', push_access_level: 30 })).toEqual(branchRule('b', 30, 40))
  expect(await protect({ name: 'c', merge_access_level: 0 })).toEqual(branchRule('c', 40, 0))
  expect(await protect({ name: 'd', push_access_level: '0', merge_access_level: '30' })).toEqual(branchRule('d', 0, 30))
  expect((await forge.as(maintainer).get(at(project, 'protected_branches'))).body).toEqual([
    branchRule('a', 40, 40),
    branchRule('b', 30, 40),
    branchRule('c', 40, 0),
    branchRule('d', 0, 30),
  ])
})

test('a tag is protected for the given levels, maintainers by default', async () => {
  const project = await fresh()
  const protect = async (body: object) => (await forge.as(maintainer).post(at(project, 'protected_tags'), body)).body
  expect(await protect({ name: 'v*' })).toEqual(tagRule('v*', 40))
  expect(await protect({ name: 'nightly', create_access_level: 30 })).toEqual(tagRule('nightly', 30))
  expect(await protect({ name: 'never', create_access_level: 0 })).toEqual(tagRule('never', 0))
})

for (const { kind, path, shown } of families) {
  test(`a protected ${kind} is found by its name or pattern, in pages, and is gone with the answer to its deletion`, async () => {
    const project = await fresh()
    const names = ['release/*', '*-stable', 'a.b', 'ünïcode/€']
    for (const name of names) {
      const { status, body } = await forge.as(maintainer).post(at(project, path), { name })
      expect([status, body]).toEqual([201, shown(name)])
      expect((await forge.as(maintainer).get(at(project, path, name))).body).toEqual(shown(name))
    }
    const page = await forge.as(maintainer).get(`${at(project, path)}?per_page=3&page=2`)
    expect([page.body, page.headers['x-total']]).toEqual([[shown('ünïcode/€')], '4'])
    expect((await forge.as(maintainer).get(at(project, path, 'release/1'))).body).toEqual({ message: '404 Not found' })

    const removed = await forge.as(maintainer).delete(at(project, path, 'release/*'))
    expect([removed.status, removed.text]).toEqual([204, ''])
    for (const answer of [
      await forge.as(maintainer).get(at(project, path, 'release/*')),
      await forge.as(maintainer).delete(at(project, path, 'release/*')),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }])
    }
    expect((await forge.as(maintainer).get(at(project, path))).body).toEqual(names.slice(1).map(shown))
  })

  test(`a ${kind} that is protected already is refused, in another project it is not`, async () => {
    const [project, other] = [await fresh(), await fresh()]
    const protect = (into: TestProject, name: string) => forge.as(maintainer).post(at(into, path), { name })
    await protect(project, 'x')
    const again = await protect(project, 'x')
    const refused =
      kind === 'branch' ? [409, { message: "Protected branch 'x' already exists" }] : [422, { message: ['Name has already been taken'] }]
    expect([again.status, again.body]).toEqual(refused)
    expect([(await protect(other, 'x')).status, (await protect(project, 'X')).status]).toEqual([201, 201])
    const answers = await Promise.all([1, 2, 3].map(() => protect(project, 'raced')))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, refused[0], refused[0]])
  })

  test(`malformed names and levels of a ${kind} are refused, and nothing is kept`, async () => {
    const project = await fresh()
    const client = forge.as(maintainer)
    const protect = async (body: unknown) => {
      const answer = await client.post(at(project, path), body)
      return [answer.status, answer.body]
    }
    for (const [name, fieldError] of [
      ['', "can't be blank"],
      ['  ', "can't be blank"],
      ['x'.repeat(1_025), 'is too long (maximum is 1024 characters)'],
      ['a\nb', 'is invalid'],
      ['a\u007fb', 'is invalid'],
      ['a\ud800b', 'is invalid'],
    ]) {
      expect(await protect({ name })).toEqual([400, { message: { name: [fieldError] } }])
    }
    expect(await protect({})).toEqual([400, { error: 'name is missing' }])
    expect(await protect({ name: ['x'] })).toEqual([400, { error: 'name is invalid' }])
    const field = kind === 'tag' ? 'create_access_level' : 'push_access_level'
    for (const wrong of [10, 20, 50, -1, 41, 'forty', 30.5]) {
      const [status, body] = await protect({ name: 'x', [field]: wrong })
      expect([wrong, status, body.error]).toEqual([wrong, 400, expect.stringMatching(new RegExp(`^${field} `))])
    }
    expect((await client.get(at(project, path))).body).toEqual([])
  })

  test(`a protected ${kind} changed after If-Unmodified-Since is kept`, async () => {
    const project = await fresh()
    await forge.as(maintainer).post(at(project, path), { name: 'x' })
    const remove = async (since: Date) => {
      const headers = { 'if-unmodified-since': since.toUTCString() }
      const { status, body } = await forge.as(maintainer).delete(at(project, path, 'x'), undefined, { headers })
      return [status, body?.message]
    }
    expect(await remove(new Date(Date.now() - 60_000))).toEqual([412, '412 Precondition Failed'])
    expect((await forge.as(maintainer).get(at(project, path, 'x'))).status).toBe(200)
    expect(await remove(new Date())).toEqual([204, undefined])
  })

  test(`developers neither see nor change which ${kind} is protected`, async () => {
    const project = await fresh()
    await forge.as(maintainer).post(at(project, path), { name: 'x' })
    const client = forge.as(developer)
    for (const answer of await Promise.all([
      client.get(at(project, path)),
      client.get(at(project, path, 'x')),
      client.post(at(project, path), { name: 'y' }),
      client.delete(at(project, path, 'x')),
    ])) {
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
    }
    expect((await forge.as(maintainer).get(at(project, path))).body).toEqual([shown('x')])
  })

  test(`the list of what is protected costs one statement for one ${kind} and for fifty`, async () => {
    const project = await fresh()
    for (const count of [1, 50]) {
      for (let index = 0; index < count; index += 1) await forge.as(maintainer).post(at(project, path), { name: `${count}-${index}` })
      await forge.drain()
      const list = () => forge.as(maintainer).get(`${at(project, path)}?per_page=100`)
      const costs = [await forge.cost(list), await forge.cost(list), await forge.cost(list)]
      // The queue looks for work every second, whoever counts.
      expect([count, Math.min(...costs.map(({ statements }) => statements))]).toEqual([count, 3])
    }
  })
}

test('forced pushes are allowed with the rule or later, by maintainers alone', async () => {
  const project = await fresh()
  const created = await forge.as(maintainer).post(at(project, 'protected_branches'), { name: 'topic/*', allow_force_push: true })
  expect([created.status, created.body]).toEqual([201, branchRule('topic/*', 40, 40, true)])
  const one = at(project, 'protected_branches', 'topic/*')
  const denied = await forge.as(maintainer).patch(one, { allow_force_push: false })
  expect([denied.status, denied.body]).toEqual([200, branchRule('topic/*', 40, 40)])
  expect((await forge.as(maintainer).get(one)).body.allow_force_push).toBe(false)
  expect((await forge.as(developer).patch(one, { allow_force_push: true })).status).toBe(403)
  expect((await forge.as(maintainer).patch(at(project, 'protected_branches', 'other'), { allow_force_push: true })).status).toBe(404)
  for (const body of [{}, { allow_force_push: 'perhaps' }]) expect((await forge.as(maintainer).patch(one, body)).status).toBe(400)
})
