/** Deploy keys through the API: who may add, enable, change and remove them, and what happens when two do so at once. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dsaLine, publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { authorizedKeysJob } from '../../people/keys/keys.jobs.ts'

let forge: Forge
let ada: TestUser
let bob: TestUser
let engine: TestProject
let loom: TestProject
let mill: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[ada, bob] = await Promise.all([forge.user(), forge.user()])
  engine = await forge.project({ maintainer: ada, files: null })
  loom = await forge.project({ maintainer: ada, files: null })
  mill = await forge.project({ maintainer: bob, files: null })
})

afterEach(async () => {
  await forge.app.db.deleteFrom('ssh_keys').execute()
})

const at = (project: TestProject, rest = '') => `/projects/${project.id}/deploy_keys${rest}`
const add = (user: TestUser, project: TestProject, body: object = {}) =>
  forge.as(user).post(at(project), { title: 'Builder', key: publicKey('builder'), ...body })
const made = async (user: TestUser, project: TestProject, body: object = {}) => (await add(user, project, body)).body
const enable = (user: TestUser, project: TestProject, id: unknown) => forge.as(user).post(at(project, `/${id}/enable`))
const publish = (id: number) => forge.app.db.updateTable('ssh_keys').set({ public: true }).where('id', '=', id).execute()
const state = async () => [
  await forge.app.db.selectFrom('ssh_keys').selectAll().orderBy('id').execute(),
  await forge.app.db.selectFrom('deploy_key_projects').selectAll().orderBy('key_id').orderBy('project_id').execute(),
]

async function expectRefused(request: () => Promise<{ status: number; body: unknown }>, status: number, body: unknown): Promise<void> {
  const before = await state()
  const answer = await request()
  expect([answer.status, answer.body]).toEqual([status, body])
  expect(await state()).toEqual(before)
}

const taken = { message: { 'deploy_key.fingerprint': ['has already been taken'] } }
const noSuchKey = { message: '404 Deploy Key Not Found' }
const noSuchRow = { message: '404 Not found' }

test('a maintainer adds a key, read-only by default, finds it, changes it and removes it', async () => {
  const client = forge.as(ada)
  const key = publicKey('builder@farm')
  const { status, body } = await client.post(at(engine), { title: 'Builder', key })
  expect([status, body]).toEqual([
    201,
    { id: expect.any(Number), title: 'Builder', key, created_at: expect.any(String), last_used_at: null, can_push: false },
  ])
  expect((await made(ada, engine, { can_push: true })).can_push).toBe(true)
  expect((await client.get(at(engine))).body).toMatchObject([body, { can_push: true }])
  expect((await client.get(at(engine, `/${body.id}`))).body).toEqual(body)
  const changed = await client.put(at(engine, `/${body.id}`), { title: 'Baker', can_push: true })
  expect([changed.status, changed.body]).toEqual([200, { ...body, title: 'Baker', can_push: true }])
  expect((await client.put(at(engine, `/${body.id}`), { can_push: false })).body).toEqual({ ...body, title: 'Baker' })
  expect((await client.get(at(engine, `/${body.id}`))).body).toEqual({ ...body, title: 'Baker' })
  const removed = await client.delete(at(engine, `/${body.id}`))
  expect([removed.status, removed.text]).toEqual([204, ''])
  await expectRefused(() => client.get(at(engine, `/${body.id}`)), 404, noSuchRow)
})

test('administrators see the keys of all projects, and nobody else does', async () => {
  const keys = [await made(ada, engine), await made(bob, mill)]
  await forge.as(ada).post('/user/keys', { title: 'Own', key: publicKey() })
  await publish(keys[1].id)
  const { status, body } = await forge.as(forge.root).get('/deploy_keys')
  expect([status, body]).toEqual([200, keys.map(({ can_push: _, ...key }, index) => ({ ...key, public: index === 1 }))])
  await expectRefused(() => forge.as(ada).get('/deploy_keys'), 403, { message: '403 Forbidden' })
  await expectRefused(() => forge.anonymous.get('/deploy_keys'), 401, { message: '401 Unauthorized' })
})

test('an administrator adds a key that every project may enable; nobody else does, nor twice, nor without a key', async () => {
  const root = forge.as(forge.root)
  const sent = { title: 'Farm', key: publicKey('farm') }
  const { status, body } = await root.post('/deploy_keys', sent)
  expect([status, body]).toEqual([201, { id: body.id, ...sent, created_at: expect.any(String), last_used_at: null, public: true }])
  expect((await enable(ada, engine, body.id)).status).toBe(201)
  await expectRefused(() => forge.as(ada).post('/deploy_keys', { title: 'X', key: publicKey('x') }), 403, { message: '403 Forbidden' })
  await expectRefused(() => root.post('/deploy_keys', sent), 400, { message: { fingerprint: ['has already been taken'] } })
  const malformed = { message: { key: ['is invalid. It must be a single line'], fingerprint: ['cannot be generated'] } }
  await expectRefused(() => root.post('/deploy_keys', { title: 'X', key: `${sent.key}\n${sent.key}` }), 400, malformed)
})

test('an administrator gets a deploy key with the user who created it, without one once that user is deleted', async () => {
  const { id } = await made(ada, engine)
  const makerOf = async () => (await forge.as(forge.root).get(`/keys/${id}`)).body.user
  expect(await makerOf()).toMatchObject({ id: ada.id, username: ada.username })
  await forge.app.db.updateTable('ssh_keys').set({ creator_id: null }).where('id', '=', id).execute()
  expect(await makerOf()).toBeNull()
})

test('who is no maintainer of the project reads, adds, changes, enables and removes nothing', async () => {
  const developer = await forge.user()
  const project = await forge.project({ maintainer: ada, developer, files: null })
  const { id } = await made(ada, project)
  const requests: Array<[string, string, object?]> = [
    ['GET', ''],
    ['GET', `/${id}`],
    ['POST', '', { title: 'x', key: publicKey() }],
    ['PUT', `/${id}`, { title: 'x' }],
    ['POST', `/${id}/enable`],
    ['DELETE', `/${id}`],
  ]
  for (const [method, rest, body] of requests) {
    const send = (user: TestUser) => forge.as(user).request(method, at(project, rest), body)
    await expectRefused(() => send(developer), 403, { message: '403 Forbidden' })
    await expectRefused(() => send(bob), 404, { message: '404 Project Not Found' })
  }
})

describe('a key that exists already', () => {
  test('in the same project is returned unchanged', async () => {
    const first = await made(ada, engine, { can_push: true })
    const again = await add(ada, engine, { title: 'Other', key: first.key, can_push: false })
    expect([again.status, again.body]).toEqual([201, first])
  })

  test('in another project of the caller is enabled with its own write access, and deleted with its last project', async () => {
    const first = await made(ada, engine)
    const second = await add(ada, loom, { key: first.key, can_push: true })
    expect([second.status, second.body]).toEqual([201, { ...first, can_push: true }])
    expect((await forge.as(ada).get(at(engine))).body).toEqual([first])
    expect((await forge.as(ada).delete(at(engine, `/${first.id}`))).status).toBe(204)
    expect((await forge.as(ada).get(at(loom))).body).toEqual([second.body])
    expect((await forge.as(ada).delete(at(loom, `/${first.id}`))).status).toBe(204)
    expect(await state()).toEqual([[], []])
  })

  test('of strangers, or of a user, is refused as taken', async () => {
    const theirs = await made(bob, mill)
    const own = publicKey()
    await forge.as(bob).post('/user/keys', { title: 'Own', key: own })
    await expectRefused(() => add(ada, engine, { key: theirs.key }), 400, taken)
    for (const user of [ada, forge.root]) await expectRefused(() => add(user, engine, { key: own }), 400, taken)
  })

  test('whose last project was deleted may be added by anybody, and is removed a day later', async () => {
    const project = await forge.project({ maintainer: bob, files: null })
    const [one, two] = [await made(bob, project), await made(bob, project)]
    expect((await forge.as(forge.root).delete(`/projects/${project.id}`)).status).toBe(202)
    expect((await add(ada, engine, { key: one.key })).status).toBe(201)
    const ids = async () => (await state())[0]?.map((row) => (row as { id: number }).id)
    await authorizedKeysJob.handle(forge.app, {})
    expect(await ids()).toContain(two.id)
    await forge.app.db.updateTable('ssh_keys').set({ created_at: '2020-01-01T00:00:00.000Z' }).execute()
    await authorizedKeysJob.handle(forge.app, {})
    expect(await ids()).toHaveLength(1)
    expect(await ids()).not.toContain(two.id)
  })
})

describe('enabling', () => {
  test('a key of another of the caller’s projects is enabled for reading, once', async () => {
    const key = await made(ada, engine, { can_push: true })
    const { can_push: _, ...plain } = key
    for (const _again of [1, 2]) {
      const { status, body } = await enable(ada, loom, key.id)
      expect([status, body]).toEqual([201, plain])
    }
    expect((await forge.as(ada).get(at(loom))).body).toEqual([{ ...plain, can_push: false }])
  })

  test('keys of strangers, of users and unknown ones are 404', async () => {
    const theirs = await made(bob, mill)
    const { body: own } = await forge.as(ada).post('/user/keys', { title: 'Own', key: publicKey() })
    for (const id of [theirs.id, own.id, 999_999, Number.MAX_SAFE_INTEGER]) {
      await expectRefused(() => enable(ada, engine, id), 404, noSuchKey)
    }
    for (const id of ['0', '-1', 'abc', '99999999999999999999']) {
      expect([id, (await enable(ada, engine, id)).status]).toEqual([id, 400])
    }
  })

  test('public keys may be enabled by any maintainer, all keys by administrators', async () => {
    const theirs = await made(bob, mill)
    expect((await enable(forge.root, loom, theirs.id)).status).toBe(201)
    await publish(theirs.id)
    expect((await enable(ada, engine, theirs.id)).status).toBe(201)
  })
})

describe('a public key', () => {
  test('is changed by administrators only, and outlives its last project', async () => {
    const key = await made(ada, engine)
    await publish(key.id)
    await expectRefused(() => forge.as(ada).put(at(engine, `/${key.id}`), { title: 'Mine' }), 403, { message: '403 Forbidden' })
    expect((await forge.as(forge.root).put(at(engine, `/${key.id}`), { title: 'Ours' })).body.title).toBe('Ours')
    expect((await forge.as(ada).delete(at(engine, `/${key.id}`))).status).toBe(204)
    expect((await forge.as(forge.root).get('/deploy_keys')).body).toMatchObject([{ id: key.id, public: true }])
  })
})

test('a key of another project is 404 below this one, also for maintainers of both', async () => {
  const key = await made(bob, mill)
  for (const user of [ada, forge.root]) {
    await expectRefused(() => forge.as(user).get(at(engine, `/${key.id}`)), 404, noSuchRow)
    await expectRefused(() => forge.as(user).put(at(engine, `/${key.id}`), { can_push: true }), 404, noSuchRow)
    await expectRefused(() => forge.as(user).delete(at(engine, `/${key.id}`)), 404, noSuchKey)
  }
})

test('an invalid key or a missing title is rejected with errors by field', async () => {
  const key = publicKey()
  for (const [sent, body] of [
    [{ title: 'x' }, { error: 'key is missing' }],
    [{ key }, { error: 'title is missing' }],
    [{ title: 'x', key, can_push: 'perhaps' }, { error: 'can_push is invalid' }],
    [{ title: '', key }, { message: { 'deploy_key.title': ["can't be blank"] } }],
    [{ title: 'x', key: dsaLine(1024) }, { message: { 'deploy_key.key': ['type is forbidden. Must be RSA, ECDSA, or ED25519'] } }],
    [
      { title: 'x', key: `${key}\n${key}` },
      { message: { 'deploy_key.key': ['is invalid. It must be a single line'], 'deploy_key.fingerprint': ['cannot be generated'] } },
    ],
  ]) {
    await expectRefused(() => forge.as(ada).post(at(engine), sent), 400, body)
  }
  const { id } = await made(ada, engine)
  const put = (body: object) => () => forge.as(ada).put(at(engine, `/${id}`), body)
  await expectRefused(put({}), 400, { error: 'title, can_push are missing, at least one parameter must be provided' })
  await expectRefused(put({ title: ' ' }), 400, { message: { 'deploy_key.title': ["can't be blank"] } })
  await expectRefused(put({ can_push: [] }), 400, { error: 'can_push is invalid' })
  const long_ago = { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' } }
  await expectRefused(() => forge.as(ada).delete(at(engine, `/${id}`), undefined, long_ago), 412, { message: '412 Precondition Failed' })
})

describe('at the same time', () => {
  test('equal requests create one key and all return it', async () => {
    const sent = { title: 'Builder', key: publicKey(), can_push: true }
    const answers = await Promise.all([1, 2, 3, 4].map(() => forge.as(ada).post(at(engine), sent)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await forge.as(ada).get(at(engine))).body).toEqual([answers[0]?.body])
  })

  test('of two strangers adding one key, one succeeds and the other gets "taken"', async () => {
    const key = publicKey()
    const answers = await Promise.all([add(ada, engine, { key }), add(bob, mill, { key })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(answers.find(({ status }) => status === 400)?.body).toEqual(taken)
    expect((await state())[1]).toHaveLength(1)
  })

  test('a key removed from one project while enabled in another is enabled or 404', async () => {
    for (const _round of [1, 2, 3, 4, 5]) {
      const { id } = await made(ada, engine)
      const [removed, enabled] = await Promise.all([forge.as(ada).delete(at(engine, `/${id}`)), enable(ada, loom, id)])
      const kept = (await forge.as(ada).get(at(loom))).body.filter((key: { id: number }) => key.id === id)
      expect([removed.status, enabled.status, kept.length]).toEqual([204, enabled.status, enabled.status === 201 ? 1 : 0])
      expect([201, 404]).toContain(enabled.status)
    }
  })
})
