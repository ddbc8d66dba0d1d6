/** Rotation of personal access tokens, and the filters of their list. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let ada: TestUser
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const own = '/user/personal_access_tokens'

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user()
})

const create = async (body: object, user = ada) => (await forge.as(user).post(own, { name: 'x', scopes: ['api'], ...body })).body

describe('a rotated token', () => {
  test('is replaced by one with its name and scopes, shown once, and is refused from then on', async () => {
    const old = await create({ name: 'laptop', description: 'At home', scopes: ['api', 'read_user'], expires_at: day(90) })
    const { status, body } = await forge.as(ada).post(`/personal_access_tokens/${old.id}/rotate`)
    expect([status, body]).toEqual([
      200,
      { ...old, id: expect.any(Number), created_at: expect.any(String), expires_at: day(7), token: expect.stringMatching(/^gst-/) },
    ])
    expect([body.id, body.token]).not.toContain(old.id)
    expect((await forge.as(ada, { token: old.token }).get('/user')).status).toBe(401)
    expect((await forge.as(ada, { token: body.token }).get('/user')).status).toBe(200)
    const until = await forge.as(ada).post(`/personal_access_tokens/${body.id}/rotate`, { expires_at: day(20) })
    expect(until.body.expires_at).toBe(day(20))
    const unending = await create({})
    expect((await forge.as(ada).post(`/personal_access_tokens/${unending.id}/rotate`)).body.expires_at).toBeNull()
  })

  test('renews itself with the scope self_rotate, beyond its own end', async () => {
    const { token } = await create({ scopes: ['self_rotate'], expires_at: day(2) })
    const renewed = await forge.as(ada, { token }).post('/personal_access_tokens/self/rotate', { expires_at: day(60) })
    expect([renewed.status, renewed.body.expires_at, renewed.body.scopes]).toEqual([200, day(60), ['self_rotate']])
    const acting = forge.as(forge.root, { headers: { sudo: ada.username } })
    expect((await acting.post('/personal_access_tokens/self/rotate')).status).toBe(404)
  })

  test('gives nobody scopes they lack, nor a longer life than the token in use', async () => {
    const { root } = forge
    const sudo = await create({ scopes: ['api', 'sudo'] }, root)
    const plain = forge.as(root, { token: await forge.token(root, { scopes: ['api'], expires_on: day(5) }) })
    const refused = await plain.post(`/personal_access_tokens/${sudo.id}/rotate`)
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden - The token has scopes that yours does not have.' }])
    const long = await create({ expires_at: day(90) }, root)
    const longer = await plain.post(`/personal_access_tokens/${long.id}/rotate`, { expires_at: day(6) })
    expect([longer.status, longer.body.message.expires_at]).toEqual([400, [`must not be after ${day(5)}, when the token in use ends`]])
    expect((await plain.post(`/personal_access_tokens/${long.id}/rotate`)).body.expires_at).toBe(day(5))
    const unending = await create({}, root)
    expect((await plain.post(`/personal_access_tokens/${unending.id}/rotate`)).body.expires_at).toBe(day(5))
    expect((await forge.as(root, { token: sudo.token }).get('/user')).status).toBe(200)
  })

  test('is the caller’s own, or anybody’s for administrators; expired and revoked ones are 400', async () => {
    const bob = await forge.user()
    const { id } = await create({})
    const other = await forge.as(bob).post(`/personal_access_tokens/${id}/rotate`)
    expect([other.status, other.body]).toEqual([404, { message: '404 Personal Access Token Not Found' }])
    expect((await forge.as(forge.root).post(`/personal_access_tokens/${id}/rotate`)).body.user_id).toBe(ada.id)
    const expired = await create({ expires_at: day(0) })
    expect((await forge.as(ada).post(`/personal_access_tokens/${expired.id}/rotate`)).status).toBe(400)
    const { body: hidden } = await forge.as(forge.root).post(`/users/${ada.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] })
    expect((await forge.as(forge.root).post(`/personal_access_tokens/${hidden.id}/rotate`)).status).toBe(404)
    for (const expires_at of ['soon', '2030-02-30'])
      expect((await forge.as(ada).post(`/personal_access_tokens/${(await create({})).id}/rotate`, { expires_at })).status).toBe(400)
  })

  test('that is rotated again revokes all its successors, and nothing else', async () => {
    const first = await create({})
    const { body: second } = await forge.as(ada).post(`/personal_access_tokens/${first.id}/rotate`)
    const { body: third } = await forge.as(ada).post(`/personal_access_tokens/${second.id}/rotate`)
    expect((await forge.as(ada).post(`/personal_access_tokens/${second.id}/rotate`)).status).toBe(400)
    expect((await forge.as(ada, { token: third.token }).get('/user')).status).toBe(401)
    expect((await forge.as(ada).get('/user')).status).toBe(200)
  })
})

test('the list is filtered by times, states and names, and sorted', async () => {
  const user = await forge.user()
  const used = await create({ name: 'used', expires_at: day(40) }, user)
  await create({ name: 'idle', expires_at: day(4) }, user)
  await forge.as(user, { token: used.token }).get('/user')
  const names = async (query: string) =>
    (await forge.as(user).get(`/personal_access_tokens?${query}`)).body.map(({ name }: { name: string }) => name)
  expect(await names('sort=name_asc')).toEqual(['idle', 'test', 'used'])
  expect(await names(`last_used_after=${day(-1)}&search=used`)).toEqual(['used'])
  expect(await names(`last_used_before=${day(-1)}`)).toEqual([])
  expect(await names(`expires_after=${day(10)}`)).toEqual(['used'])
  expect(await names('sort=expires_asc&search=d')).toEqual(['idle', 'used'])
  expect(await names(`created_before=${day(-1)}T00:00:00`)).toEqual([])
  expect(await names(`created_after=${day(-1)}&sort=created_desc`)).toEqual(['idle', 'used', 'test'])
  for (const [query, error] of [
    ['sort=age', 'sort does not have a valid value'],
    ['created_after=yesterday', 'created_after is invalid'],
    ['state=dead', 'state does not have a valid value'],
  ] as const)
    expect((await forge.as(user).get(`/personal_access_tokens?${query}`)).body.error).toContain(error.split(' ')[0])
})

test('a token with read_api reads everything its user can, and writes nothing', async () => {
  const project = await forge.project({ owner: ada })
  const { token } = await create({ scopes: ['read_api'] })
  const reading = forge.as(ada, { token })
  for (const path of [`/projects/${project.id}`, `/projects/${project.id}/repository/tree`, '/user', '/personal_access_tokens'])
    expect([path, (await reading.get(path)).status]).toEqual([path, 200])
  const { status, body } = await reading.post(`/projects/${project.id}/star`)
  expect([status, body.error, body.scope]).toEqual([403, 'insufficient_scope', 'api'])
})
