import { beforeEach, expect, test } from 'vitest'
import { type Forge, openForge, testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'

const off = {
  throttle_unauthenticated_enabled: false,
  throttle_authenticated_api_enabled: false,
  throttle_authenticated_web_enabled: false,
}

beforeEach(async () => {
  const { app } = await testForge()
  app.limits.throttles.rules = null
})

type Name = 'unauthenticated' | 'authenticated_api' | 'authenticated_web'

let period_s = 5_000

/** Sets limits, each in a period of its own, so that what other tests have sent is not counted. */
async function limit(forge: Forge, limits: Partial<Record<Name, number>>): Promise<void> {
  period_s += 1
  const settings = Object.entries(limits).map(([name, max]) => ({
    [`throttle_${name}_enabled`]: true,
    [`throttle_${name}_requests_per_period`]: max,
    [`throttle_${name}_period_in_seconds`]: period_s,
  }))
  const { status } = await forge.as(forge.root).put('/application/settings', Object.assign({}, off, ...settings))
  expect(status).toBe(200)
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

test('requests without authentication are limited by address, and refused with the headers clients go by', async () => {
  const forge = await testForge()
  await limit(forge, { unauthenticated: 2 })
  const statuses = []
  for (const _ of [1, 2]) statuses.push((await forge.anonymous.get('/projects', from('192.0.2.1'))).status)
  const refused = await forge.anonymous.get('/projects', from('192.0.2.1'))
  const other = await forge.anonymous.get('/projects', from('192.0.2.2'))

  expect([...statuses, refused.status, other.status]).toEqual([200, 200, 429, 200])
  expect(refused.body).toEqual({ message: 'Retry later' })
  const { headers } = refused
  const reset = Number(headers['ratelimit-reset'])
  expect(headers).toMatchObject({
    'ratelimit-name': 'throttle_unauthenticated',
    'ratelimit-limit': '1',
    'ratelimit-observed': '3',
    'ratelimit-remaining': '0',
    'ratelimit-resettime': new Date(reset * 1000).toUTCString(),
  })
  expect(Math.abs(reset - Date.now() / 1000 - Number(headers['retry-after']))).toBeLessThan(2)
  expect(reset % period_s).toBe(0)
})

test('addresses of one IPv6 network count as one, and wrong tokens count for their address', async () => {
  const forge = await testForge()
  await limit(forge, { unauthenticated: 1 })
  const client = forge.as({ ...forge.root, token: 'wrong' })
  expect((await client.get('/user', from('2001:db8::1'))).status).toBe(401)
  expect((await client.get('/user', from('2001:db8::2'))).status).toBe(429)
})

test('credentials that are refused for another reason count for their address, too', async () => {
  const forge = await testForge()
  const [blocked, user] = [await forge.user(), await forge.user()]
  await forge.as(forge.root).post(`/users/${blocked.id}/block`)
  await limit(forge, { unauthenticated: 1, authenticated_api: 100 })
  expect((await forge.as(blocked).get('/user', from('192.0.2.21'))).status).toBe(403)
  expect((await forge.as(blocked).get('/user', from('192.0.2.21'))).status).toBe(429)
  const sudo = { headers: { sudo: 'root', 'x-forwarded-for': '192.0.2.22' } }
  expect((await forge.as(user).get('/user', sudo)).status).toBe(403)
  expect((await forge.as(user).get('/user', sudo)).status).toBe(429)
})

test('users are limited individually, wherever they are; sudo counts for the administrator', async () => {
  const forge = await testForge()
  const [one, other] = [await forge.user(), await forge.user()]
  await limit(forge, { authenticated_api: 3, unauthenticated: 1 })
  const statuses = []
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'])
    statuses.push((await forge.as(one).get('/user', from(address))).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await forge.as(other).get('/user')).status).toBe(200)

  // Root sent one of three with the settings themselves, in the period before.
  const sudo = { headers: { sudo: other.username } }
  const asOther = []
  for (const _ of [1, 2, 3, 4]) asOther.push((await forge.as(forge.root).get('/user', sudo)).status)
  expect(asOther).toEqual([200, 200, 200, 429])
  expect((await forge.as(other).get('/user')).headers).toMatchObject({ 'ratelimit-observed': '2', 'ratelimit-remaining': '1' })
})

test('answers from the cache are counted', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const project = await forge.project({ developer: user })
  await forge.as(user).get(`/projects/${project.id}`)
  await limit(forge, { authenticated_api: 2 })
  const statuses = []
  for (const _ of [1, 2, 3]) statuses.push((await forge.as(user).get(`/projects/${project.id}`)).status)
  expect(statuses).toEqual([200, 200, 429])
})

test('probes are never limited; pages, unknown addresses and git are', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const project = await forge.project({ owner: user })
  await limit(forge, { unauthenticated: 2, authenticated_web: 2 })
  for (const path of ['//-/liveness', '//-/readiness', '//-/health']) {
    for (const _ of [1, 2, 3]) expect((await forge.anonymous.get(path, from('192.0.2.7'))).status).toBe(200)
  }
  const pages = []
  for (const path of ['//users/sign_in', '//no/such/page', '//users/sign_in'])
    pages.push((await forge.anonymous.get(path, from('192.0.2.7'))).status)
  expect(pages).toEqual([200, 404, 429])

  // Two requests with credentials.
  await git(project.dir, 'ls-remote', await forge.remote(project, user))
  const again = git(project.dir, 'ls-remote', await forge.remote(project, user))
  await expect(again).rejects.toThrow(/429/)
})

test('without limits nothing is counted and no header is sent', async () => {
  const forge = await testForge()
  await limit(forge, { unauthenticated: 1 })
  await forge.as(forge.root).put('/application/settings', off)
  expect(forge.app.limits.throttles.rules).toBeNull()
  for (const _ of [1, 2]) {
    const { status, headers } = await forge.anonymous.get('/projects')
    expect([status, headers['ratelimit-limit']]).toEqual([200, undefined])
  }
})

test('a limit below one and a period of none are refused', async () => {
  const forge = await openForge()
  const root = forge.as(forge.root)
  for (const value of [0, -1, 'many']) {
    expect((await root.put('/application/settings', { throttle_unauthenticated_requests_per_period: value })).status).toBe(400)
    expect((await root.put('/application/settings', { throttle_unauthenticated_period_in_seconds: value })).status).toBe(400)
  }
})
