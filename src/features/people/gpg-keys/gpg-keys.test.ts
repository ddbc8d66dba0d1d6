/** GPG keys through the API: owners, duplicates, and the refusal of private keys. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { armour, gpgKey, keyBody, packet, userId } from '../../../../test/support/fixtures/gpg-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let ada: TestUser
let bob: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[ada, bob] = await Promise.all([forge.user(), forge.user()])
})

afterEach(async () => {
  await forge.app.db.deleteFrom('gpg_keys').execute()
})

const add = (user: TestUser, key: unknown) => forge.as(user).post('/user/gpg_keys', { key })
const rows = () => forge.app.db.selectFrom('gpg_keys').selectAll().orderBy('id').execute()
const missing = { message: '404 GPG Key Not Found' }

async function expectRefused(request: () => Promise<{ status: number; body: unknown }>, status: number, body: unknown): Promise<void> {
  const before = await rows()
  const answer = await request()
  expect([answer.status, answer.body]).toEqual([status, body])
  expect(await rows()).toEqual(before)
}

test('a user adds a key, finds it in the list and by its number, and deletes it', async () => {
  const key = gpgKey()
  const { status, body } = await add(ada, `\n${key}\n\n`)
  expect([status, body]).toEqual([201, { id: expect.any(Number), key, created_at: expect.stringMatching(/^\d{4}-.*Z$/) }])
  const client = forge.as(ada)
  expect((await client.get('/user/gpg_keys')).body).toEqual([body])
  expect((await client.get(`/user/gpg_keys/${body.id}`)).body).toEqual(body)
  const removed = await client.delete(`/user/gpg_keys/${body.id}`)
  expect([removed.status, removed.text]).toEqual([204, ''])
  await expectRefused(() => client.get(`/user/gpg_keys/${body.id}`), 404, missing)
  await expectRefused(() => client.delete(`/user/gpg_keys/${body.id}`), 404, missing)
})

test('an administrator does the same for others, each key below its own user only', async () => {
  const root = forge.as(forge.root)
  const { status, body } = await root.post(`/users/${ada.id}/gpg_keys`, { key: gpgKey() })
  expect(status).toBe(201)
  expect((await root.get(`/users/${ada.id}/gpg_keys`)).body).toEqual([body])
  expect((await root.get(`/users/${ada.id}/gpg_keys/${body.id}`)).body).toEqual(body)
  expect((await forge.as(ada).get('/user/gpg_keys')).body).toEqual([body])
  await expectRefused(() => root.get(`/users/${bob.id}/gpg_keys/${body.id}`), 404, missing)
  await expectRefused(() => root.delete(`/users/${bob.id}/gpg_keys/${body.id}`), 404, missing)
  for (const [method, path] of [
    ['GET', '/users/999999/gpg_keys'],
    ['GET', `/users/999999/gpg_keys/${body.id}`],
    ['DELETE', `/users/999999/gpg_keys/${body.id}`],
  ] as const) {
    await expectRefused(() => root.request(method, path), 404, { message: '404 User Not Found' })
  }
  await expectRefused(() => root.post('/users/999999/gpg_keys', { key: gpgKey() }), 404, { message: '404 User Not Found' })
  expect((await root.delete(`/users/${ada.id}/gpg_keys/${body.id}`)).status).toBe(204)
  expect(await rows()).toEqual([])
})

test('nobody sees or deletes keys of others through /user, and only administrators do through /users/:id', async () => {
  const { body } = await add(ada, gpgKey())
  for (const other of [bob, forge.root]) {
    expect((await forge.as(other).get('/user/gpg_keys')).body).toEqual([])
    await expectRefused(() => forge.as(other).get(`/user/gpg_keys/${body.id}`), 404, missing)
    await expectRefused(() => forge.as(other).delete(`/user/gpg_keys/${body.id}`), 404, missing)
  }
  for (const [method, path] of [
    ['GET', `/users/${ada.id}/gpg_keys`],
    ['GET', `/users/${ada.id}/gpg_keys/${body.id}`],
    ['POST', `/users/${ada.id}/gpg_keys`],
    ['DELETE', `/users/${ada.id}/gpg_keys/${body.id}`],
  ] as const) {
    const sent = method === 'POST' ? { key: gpgKey() } : undefined
    for (const user of [ada, bob]) {
      await expectRefused(() => forge.as(user).request(method, path, sent), 403, { message: '403 Forbidden' })
    }
    await expectRefused(() => forge.anonymous.request(method, path, sent), 401, { message: '401 Unauthorized' })
  }
})

test('users can revoke, and thereby delete, their own keys, and administrators those of any user', async () => {
  const done = [202, { message: '202 Accepted' }]
  const { body: first } = await add(ada, gpgKey())
  await expectRefused(() => forge.as(bob).post(`/user/gpg_keys/${first.id}/revoke`), 404, missing)
  await expectRefused(() => forge.as(bob).post(`/users/${ada.id}/gpg_keys/${first.id}/revoke`), 403, { message: '403 Forbidden' })
  await expectRefused(() => forge.anonymous.post(`/user/gpg_keys/${first.id}/revoke`), 401, { message: '401 Unauthorized' })
  await expectRefused(() => forge.as(forge.root).post(`/users/${bob.id}/gpg_keys/${first.id}/revoke`), 404, missing)
  const own = await forge.as(ada).post(`/user/gpg_keys/${first.id}/revoke`)
  expect([own.status, own.body]).toEqual(done)
  await expectRefused(() => forge.as(ada).post(`/user/gpg_keys/${first.id}/revoke`), 404, missing)
  const { body: second } = await add(ada, gpgKey())
  const others = await forge.as(forge.root).post(`/users/${ada.id}/gpg_keys/${second.id}/revoke`)
  expect([others.status, others.body]).toEqual(done)
  expect(await rows()).toEqual([])
})

test('a key belongs to one user, however its block is formatted', async () => {
  const body = keyBody()
  const key = armour(packet(6, body), userId)
  await add(ada, key)
  const otherwise = armour(packet(6, body), userId, packet(13, Buffer.from('Bob <bob@example.com>')))
  for (const user of [ada, bob]) {
    await expectRefused(() => add(user, key), 400, { message: { key: ['has already been taken'] } })
    await expectRefused(() => add(user, otherwise), 400, { message: { fingerprint: ['has already been taken'] } })
  }
})

test('a key added by ten at the same time belongs to one', async () => {
  const key = gpgKey()
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => add(index % 2 ? ada : bob, key)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)])
  expect(await rows()).toHaveLength(1)
})

test('a private key is rejected, and neither stored nor repeated', async () => {
  const secret = armour(packet(5, Buffer.concat([keyBody(), Buffer.from('the secret part')])), userId)
  for (const key of [secret, secret.replaceAll('PUBLIC', 'PRIVATE')]) {
    const { status, text, body } = await add(ada, key)
    expect([status, body.message.key[0]]).toEqual([400, expect.stringMatching(/^is invalid\. /)])
    expect(text).not.toContain(key.split('\n')[2])
  }
  expect(await rows()).toEqual([])
})

test.each([
  [{}, { error: 'key is missing' }],
  [{ key: '' }, { message: { key: ["can't be blank"] } }],
  [{ key: ' \n ' }, { message: { key: ["can't be blank"] } }],
  [{ key: ['x'] }, { error: 'key is invalid' }],
  [{ key: 'a\0b' }, { error: 'key is invalid' }],
  [{ key: `${'x'.repeat(256 * 1024)}x` }, { message: { key: ['is too long (maximum is 262144 characters)'] } }],
  [{ key: 'ssh-ed25519 AAAA' }, { message: { key: [expect.stringMatching(/^is invalid\. A valid public GPG key begins with/)] } }],
])('what is no key is refused: %#', async (body, refusal) => {
  await expectRefused(() => forge.as(ada).post('/user/gpg_keys', body), 400, refusal)
})

test('a key of maximum size is parsed quickly', async () => {
  const key = armour(packet(6, keyBody()), userId, ...Array.from({ length: 3_000 }, () => packet(2, Buffer.alloc(55))))
  expect(key.length).toBeGreaterThan(240_000)
  const started = process.cpuUsage()
  expect((await add(ada, key)).status).toBe(201)
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
})
