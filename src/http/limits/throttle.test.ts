import { beforeEach, expect, test } from 'vitest'
import { type Forge, openForge, testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { requestCounter } from '../../limits/throttles.ts'

const off = {
  throttle_unauthenticated_enabled: false,
  throttle_authenticated_api_enabled: false,
  throttle_authenticated_web_enabled: false,
  throttle_protected_paths_enabled: false,
}

beforeEach(async () => {
  const { app } = await testForge()
  app.limits.throttles.rules = null
})

type Name = 'unauthenticated' | 'authenticated_api' | 'authenticated_web' | 'protected_paths'

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

/** Sets settings that are not those of `limit`, at once in this process. */
async function set(forge: Forge, settings: Record<string, unknown>): Promise<void> {
  expect((await forge.as(forge.root).put('/application/settings', settings)).status).toBe(200)
}

test('forms that take passwords have a limit of their own, by user or address; reading them has none', async () => {
  const forge = await testForge()
  await limit(forge, { protected_paths: 2 })
  const grant = (address: string) => forge.anonymous.post('//oauth/token', { grant_type: 'nothing' }, from(address))
  const statuses = []
  for (const _ of [1, 2]) statuses.push((await grant('192.0.2.31')).status)
  const refused = await grant('192.0.2.31')
  expect(statuses).not.toContain(429)
  expect([refused.status, refused.headers['ratelimit-name'], (await grant('192.0.2.32')).status]).toEqual([
    429,
    'throttle_unauthenticated_protected_paths',
    statuses[0],
  ])
  for (const _ of [1, 2, 3]) expect((await forge.anonymous.get('//users/sign_in', from('192.0.2.33'))).status).toBe(200)
  for (const _ of [1, 2, 3]) expect((await forge.anonymous.post('/projects', {}, from('192.0.2.33'))).status).toBe(401)
  const pages = []
  for (const path of ['//users/sign_in', '//users/sign_in?x=1', '//users/sign%5Fin'])
    pages.push((await forge.anonymous.post(path, 'a=b', from('192.0.2.34'))).status)
  expect(pages[2]).toBe(429)
  await set(forge, { protected_paths: ['/elsewhere'] })
  expect((await grant('192.0.2.31')).status).toBe(statuses[0])
  await set(forge, { ...off, protected_paths: ['/users/sign_in', '/oauth/token'] })
})

test('comments, issues, searches and raw files are limited by the minute, each by its setting', async () => {
  const forge = await testForge()
  const [user, other] = [await forge.user(), await forge.user()]
  const project = await forge.project({ developer: user, visibility: 'public', files: { 'a.txt': '1' } })
  const { body: issue } = await forge.as(user).post(`/projects/${project.id}/issues`, { title: 'First' })
  // A clock that stands: what is counted must not fall into two windows.
  forge.app.limits.throttles.count = requestCounter(() => 0).count
  await set(forge, {
    ...off,
    notes_create_limit: 1,
    issues_create_limit: 1,
    search_rate_limit: 1,
    search_rate_limit_unauthenticated: 1,
    raw_blob_request_limit: 2,
  })
  const twice = async (ask: () => Promise<{ status: number; headers: Record<string, string> }>) => {
    const [first, second] = [await ask(), await ask()]
    return [first.status, second.status, second.headers['ratelimit-name']]
  }
  const at = `/projects/${project.id}`
  expect(await twice(() => forge.as(user).post(`${at}/issues/${issue.iid}/notes`, { body: 'x' }))).toEqual([201, 429, 'notes_create'])
  expect((await forge.as(user).post(`${at}/issues/${issue.iid}/discussions`, { body: 'x' })).status).toBe(429)
  expect((await forge.as(other).post(`${at}/issues/${issue.iid}/notes`, { body: 'x' })).status).toBe(201)
  expect(await twice(() => forge.as(user).post(`${at}/issues`, { title: 'x' }))).toEqual([201, 429, 'issues_create'])
  expect(await twice(() => forge.as(user).get('/search?scope=projects&search=x'))).toEqual([200, 429, 'search'])
  expect(await twice(() => forge.anonymous.get('//search?search=x', from('192.0.2.41')))).toEqual([200, 429, 'search_unauthenticated'])
  const raw = `${at}/repository/files/a.txt/raw?ref=main`
  expect([(await forge.as(user).get(raw)).status, (await forge.as(other).get(raw)).status]).toEqual([200, 200])
  expect((await forge.anonymous.get(raw, from('192.0.2.42'))).status).toBe(429)
  await set(forge, {
    notes_create_limit: 0,
    issues_create_limit: 0,
    search_rate_limit: 0,
    search_rate_limit_unauthenticated: 0,
    raw_blob_request_limit: 0,
  })
  expect(forge.app.limits.throttles.rules).toBeNull()
})

test('addresses of the allow-list are neither counted nor refused', async () => {
  const forge = await openForge({ limits: { throttle_allowlist: ['192.0.2.0/25', '2001:db8:1::/48'] } })
  await limit(forge, { unauthenticated: 1 })
  for (const address of ['192.0.2.1', '192.0.2.1', '2001:db8:1::1', '2001:db8:1::1']) {
    const { status, headers } = await forge.anonymous.get('/projects', from(address))
    expect([address, status, headers['ratelimit-limit']]).toEqual([address, 200, undefined])
  }
  const outside = []
  for (const _ of [1, 2]) outside.push((await forge.anonymous.get('/projects', from('192.0.2.200'))).status)
  expect(outside).toEqual([200, 429])
})

test('a user may come from so many networks in the window: a further one is refused, the others go on, also at once', async () => {
  const forge = await testForge()
  const user = await forge.user()
  await set(forge, { ...off, unique_ips_limit_enabled: true, unique_ips_limit_per_user: 2, unique_ips_limit_time_window: 3_600 })
  const ask = async (address: string) => (await forge.as(user).get('/user', from(address))).status
  const atOnce = await Promise.all(Array.from({ length: 6 }, (_, index) => ask(`198.51.100.${index + 1}`)))
  expect(atOnce.filter((status) => status === 200)).toHaveLength(2)
  expect(atOnce.filter((status) => status === 403)).toHaveLength(4)
  const known = `198.51.100.${atOnce.indexOf(200) + 1}`
  expect([await ask(known), await ask('2001:db8::1')]).toEqual([200, 403])
  // Networks that were last seen before the window don't count.
  const past = new Date(Date.now() - 3_600_001).toISOString()
  await forge.app.db.updateTable('known_networks').set({ used_at: past }).where('user_id', '=', user.id).execute()
  expect([await ask('2001:db8::1'), await ask('2001:db8::2')]).toEqual([200, 200])
  await set(forge, { unique_ips_limit_enabled: false })
  expect(await ask('203.0.113.1')).toBe(200)
})
