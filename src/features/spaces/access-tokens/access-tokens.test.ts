/** Access tokens: who makes one, for what, who sees it, and how it ends. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { tryGit } from '../../../../test/support/git.ts'
import { digestOf } from '../../../access/tokens.ts'

let forge: Forge
let ada: TestUser
let bob: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[ada, bob] = await Promise.all([forge.user(), forge.user()])
})

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const usedToday = { last_used_on: day(0), last_used_at: expect.stringMatching(`^${day(0)}T.*Z$`) }
const stored = () => forge.app.db.selectFrom('access_tokens').select(['id', 'name', 'scopes', 'revoked']).orderBy('id').execute()
const impersonations = (user: TestUser) => `/users/${user.id}/impersonation_tokens`
const asHolder = (token: string) => forge.as(ada, { token })
const unknown = { message: '404 Personal Access Token Not Found' }
const unavailable = { message: { scopes: ['can only contain available scopes'] } }

/** The request is answered so, and leaves every token as it was. */
async function expectRefused(request: () => Promise<{ status: number; body: unknown }>, status: number, body: unknown): Promise<void> {
  const before = await stored()
  const answer = await request()
  expect([answer.status, answer.body]).toEqual([status, body])
  expect(await stored()).toEqual(before)
}

describe('an impersonation token', () => {
  test('is made by an administrator, acts as its user, and is seen once', async () => {
    const root = forge.as(forge.root)
    const made = await root.post(impersonations(ada), { name: 'mytoken', scopes: ['api', 'read_user'], expires_at: day(7) })
    const { token, ...shown } = made.body
    expect([made.status, shown]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'mytoken',
        revoked: false,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        scopes: ['api', 'read_user'],
        user_id: ada.id,
        description: null,
        last_used_at: null,
        last_used_on: null,
        active: true,
        expires_at: day(7),
        impersonation: true,
      },
    ])
    expect(token).toMatch(/^gst-[0-9a-f]{40}$/)
    expect((await asHolder(token).get('/user')).body.username).toBe(ada.username)
    const got = await root.get(`${impersonations(ada)}/${shown.id}`)
    expect([got.status, got.body]).toEqual([200, { ...shown, ...usedToday, token: null }])
    const listed = await root.get(impersonations(ada))
    expect(listed.body).toEqual([{ ...shown, ...usedToday, token: null }])
    expect(listed.text).not.toContain(digestOf(token))
  })

  test('is valid while its creator is an active administrator, and listed as inactive otherwise', async () => {
    const [maker, carl] = [await forge.user({ admin: true }), await forge.user()]
    const root = forge.as(forge.root)
    const { body: made } = await forge.as(maker).post(impersonations(carl), { name: 'x', scopes: ['api'] })
    const path = `${impersonations(carl)}/${made.id}`
    const stand = async () => {
      const { body: active } = await root.get(`${impersonations(carl)}?state=active`)
      return [(await asHolder(made.token).get('/user')).status, (await root.get(path)).body.active, active.length]
    }
    const [good, ended] = [
      [200, true, 1],
      [401, false, 0],
    ]
    expect(await stand()).toEqual(good)
    for (const [lose, restore] of [
      [() => root.put(`/users/${maker.id}`, { admin: false }), () => root.put(`/users/${maker.id}`, { admin: true })],
      [() => root.post(`/users/${maker.id}/block`), () => root.post(`/users/${maker.id}/unblock`)],
    ] as const) {
      await lose()
      expect(await stand()).toEqual(ended)
      await restore()
      expect(await stand()).toEqual(good)
    }
  })

  test('ends when it is revoked, and stays listed as inactive', async () => {
    const carl = await forge.user()
    const root = forge.as(forge.root)
    const { body: kept } = await root.post(impersonations(carl), { name: 'kept', scopes: ['api'] })
    const { body: ended } = await root.post(impersonations(carl), { name: 'ended', scopes: ['api'] })
    const { body: expired } = await root.post(impersonations(carl), { name: 'expired', scopes: ['api'], expires_at: day(0) })
    expect([expired.active, (await asHolder(expired.token).get('/user')).status]).toEqual([false, 401])
    const path = `${impersonations(carl)}/${ended.id}`
    const removed = await root.delete(path)
    expect([removed.status, removed.text]).toEqual([204, ''])
    const refused = await asHolder(ended.token).get('/user')
    expect([refused.status, refused.body.error_description]).toEqual([401, 'Token was revoked. You have to re-authorize from the user.'])
    expect((await root.get(path)).body).toMatchObject({ id: ended.id, revoked: true, active: false })
    const idsOf = async (state: string) =>
      (await root.get(`${impersonations(carl)}?state=${state}`)).body.map(({ id }: { id: number }) => id)
    expect(await idsOf('all')).toEqual([kept.id, ended.id, expired.id])
    expect(await idsOf('active')).toEqual([kept.id])
    expect(await idsOf('inactive')).toEqual([ended.id, expired.id])
    expect((await root.delete(path)).status).toBe(204)
  })

  test('is visible to administrators only: not to its user, not among the user’s personal tokens, not to itself', async () => {
    const { body: made } = await forge.as(forge.root).post(impersonations(ada), { name: 'hidden', scopes: ['api'] })
    for (const holder of [forge.as(ada), asHolder(made.token)]) {
      const list = await holder.get('/personal_access_tokens?per_page=100')
      expect(list.body.map(({ id }: { id: number }) => id)).not.toContain(made.id)
      await expectRefused(() => holder.get(`/personal_access_tokens/${made.id}`), 404, unknown)
      await expectRefused(() => holder.delete(`/personal_access_tokens/${made.id}`), 404, unknown)
      for (const path of [impersonations(ada), `${impersonations(ada)}/${made.id}`]) {
        await expectRefused(() => holder.get(path), 403, { message: '403 Forbidden' })
      }
      await expectRefused(() => holder.delete(`${impersonations(ada)}/${made.id}`), 403, { message: '403 Forbidden' })
      await expectRefused(() => holder.post(impersonations(ada), { name: 'x', scopes: ['api'] }), 403, { message: '403 Forbidden' })
    }
    await expectRefused(() => asHolder(made.token).get('/personal_access_tokens/self'), 404, unknown)
    await expectRefused(() => asHolder(made.token).delete('/personal_access_tokens/self'), 404, unknown)
    await expectRefused(() => forge.as(forge.root).get(`/personal_access_tokens/${made.id}`), 404, unknown)
  })

  test('is found below its own user only, and no personal token is one', async () => {
    const root = forge.as(forge.root)
    const { body: made } = await root.post(impersonations(ada), { name: 'x', scopes: ['api'] })
    const { body: personal } = await root.post(`/users/${ada.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] })
    const absent = { message: '404 Impersonation Token Not Found' }
    for (const path of [`${impersonations(bob)}/${made.id}`, `${impersonations(ada)}/${personal.id}`, `${impersonations(ada)}/999999`]) {
      await expectRefused(() => root.get(path), 404, absent)
      await expectRefused(() => root.delete(path), 404, absent)
    }
    for (const path of ['/users/999999/impersonation_tokens', '/users/999999/impersonation_tokens/1']) {
      await expectRefused(() => root.get(path), 404, { message: '404 User Not Found' })
    }
  })

  test('with an unknown state or id is rejected', async () => {
    const root = forge.as(forge.root)
    await expectRefused(() => root.get(`${impersonations(ada)}?state=dead`), 400, { error: 'state does not have a valid value' })
    await expectRefused(() => root.get('/users/abc/impersonation_tokens'), 400, { error: 'user_id is invalid' })
    await expectRefused(() => root.delete(`${impersonations(ada)}/0`), 400, {
      error: 'impersonation_token_id does not have a valid value',
    })
  })
})

describe('a personal token', () => {
  test('is made by its user, seen once, listed, and revoked with effect from the next request on', async () => {
    const carl = await forge.user()
    const client = forge.as(carl)
    const made = await client.post('/user/personal_access_tokens', { name: 'laptop', scopes: ['read_user'] })
    const { token, ...shown } = made.body
    expect([made.status, shown]).toMatchObject([
      201,
      { name: 'laptop', scopes: ['read_user'], user_id: carl.id, active: true, revoked: false, expires_at: null, last_used_on: null },
    ])
    const holder = forge.as(carl, { token })
    expect((await holder.get('/user')).body.id).toBe(carl.id)
    expect((await holder.get('/personal_access_tokens')).status).toBe(403)
    const used = { ...shown, ...usedToday }
    expect((await holder.get('/personal_access_tokens/self')).body).toEqual(used)
    expect((await client.get(`/personal_access_tokens/${shown.id}`)).body).toEqual(used)
    expect((await client.get('/personal_access_tokens?search=LAP')).body).toEqual([used])
    expect((await client.delete(`/personal_access_tokens/${shown.id}`)).status).toBe(204)
    expect((await holder.get('/user')).status).toBe(401)
    expect((await client.get('/personal_access_tokens?state=inactive')).body).toEqual([{ ...used, revoked: true, active: false }])
    expect((await client.get('/personal_access_tokens?revoked=true')).body).toHaveLength(1)
    expect((await client.get('/personal_access_tokens?state=active&search=laptop')).body).toEqual([])
  })

  test('has no more scopes than the token it is created with', async () => {
    const { root } = forge
    const plain = forge.as(root, { token: await forge.token(root, { scopes: ['api'] }) })
    for (const path of ['/user/personal_access_tokens', `/users/${root.id}/personal_access_tokens`, impersonations(root)]) {
      await expectRefused(() => plain.post(path, { name: 'x', scopes: ['api', 'sudo'] }), 400, unavailable)
      expect((await plain.post(path, { name: 'x', scopes: ['api', 'read_user', 'read_repository'] })).status).toBe(201)
      expect((await forge.as(root).post(path, { name: 'x', scopes: ['sudo'] })).body.scopes).toEqual(['sudo'])
    }
    const acting = forge.as(root, { headers: { sudo: ada.username } })
    await expectRefused(() => acting.post('/user/personal_access_tokens', { name: 'x', scopes: ['sudo'] }), 400, unavailable)
    expect((await acting.post('/user/personal_access_tokens', { name: 'x', scopes: ['api'] })).body.user_id).toBe(ada.id)
    expect((await acting.get('/personal_access_tokens/self')).status).toBe(404)
    const narrow = forge.as(ada, { token: await forge.token(ada, { scopes: ['read_user', 'read_repository', 'sudo'] }) })
    const before = await stored()
    const refused = await narrow.post('/user/personal_access_tokens', { name: 'x', scopes: ['read_user'] })
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
    expect(await stored()).toEqual(before)
  })

  test('created with an expiring token expires no later, and by default at the same time', async () => {
    const own = '/user/personal_access_tokens'
    const ending = forge.as(ada, { token: await forge.token(ada, { expires_on: day(5) }) })
    const make = (expires_at?: string | null) => ending.post(own, { name: 'x', scopes: ['api'], expires_at })
    for (const [asked, given] of [
      [day(2), day(2)],
      [day(5), day(5)],
      [undefined, day(5)],
      [null, day(5)],
    ] as const) {
      const { status, body } = await make(asked)
      expect([asked, status, body.expires_at]).toEqual([asked, 201, given])
    }
    const fieldError = `must not be after ${day(5)}, when the token in use ends`
    await expectRefused(() => make(day(6)), 400, { message: { expires_at: [fieldError] } })
    const { body: made } = await make()
    await expectRefused(() => asHolder(made.token).post(own, { name: 'x', scopes: ['api'], expires_at: day(6) }), 400, {
      message: { expires_at: [fieldError] },
    })
    expect((await forge.as(ada).post(own, { name: 'x', scopes: ['api'], expires_at: day(6) })).body.expires_at).toBe(day(6))
  })

  test('may expire later than the token that creates it only if an administrator creates it for another user', async () => {
    const ending = forge.as(forge.root, { token: await forge.token(forge.root, { expires_on: day(5) }) })
    const wanted = { name: 'x', scopes: ['api'] }
    for (const path of [impersonations(ada), `/users/${ada.id}/personal_access_tokens`])
      expect((await ending.post(path, wanted)).body.expires_at).toBeNull()
    for (const path of [impersonations(forge.root), `/users/${forge.root.id}/personal_access_tokens`, '/user/personal_access_tokens'])
      expect((await ending.post(path, wanted)).body.expires_at).toBe(day(5))
    const { body: acting } = await ending.post(impersonations(ada), { ...wanted, expires_at: day(3) })
    expect((await asHolder(acting.token).post('/user/personal_access_tokens', wanted)).body.expires_at).toBe(day(3))
  })

  test('revokes itself, and nothing but itself', async () => {
    const carl = await forge.user()
    const { body: made } = await forge.as(carl).post('/user/personal_access_tokens', { name: 'brief', scopes: ['api'] })
    const holder = forge.as(carl, { token: made.token })
    const long_ago = { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' } }
    expect((await holder.delete('/personal_access_tokens/self', undefined, long_ago)).status).toBe(412)
    const { status, text } = await holder.delete('/personal_access_tokens/self')
    expect([status, text]).toEqual([204, ''])
    expect((await holder.get('/user')).status).toBe(401)
    expect((await forge.as(carl).get(`/personal_access_tokens/${made.id}`)).body.revoked).toBe(true)
    expect((await forge.as(carl).get('/user')).status).toBe(200)
    const acting = forge.as(forge.root, { headers: { sudo: carl.username } })
    await expectRefused(() => acting.delete('/personal_access_tokens/self'), 404, unknown)
  })

  test('of another is seen, listed, made and revoked by administrators alone', async () => {
    const { body: made } = await forge.as(ada).post('/user/personal_access_tokens', { name: 'of ada', scopes: ['api'] })
    const other = forge.as(bob)
    await expectRefused(() => other.get(`/personal_access_tokens/${made.id}`), 404, unknown)
    await expectRefused(() => other.delete(`/personal_access_tokens/${made.id}`), 404, unknown)
    const forbidden = { message: '403 Forbidden' }
    await expectRefused(() => other.get(`/personal_access_tokens?user_id=${ada.id}`), 403, forbidden)
    await expectRefused(() => other.post(`/users/${bob.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] }), 403, forbidden)
    const own = await other.get('/personal_access_tokens?per_page=100')
    expect(own.body.every(({ user_id }: { user_id: number }) => user_id === bob.id)).toBe(true)
    expect((await other.get(`/personal_access_tokens?user_id=${bob.id}`)).headers['x-total']).toBe(own.headers['x-total'])
    const root = forge.as(forge.root)
    const found = await root.get(`/personal_access_tokens?user_id=${ada.id}&search=of+ada`)
    expect(found.body).toMatchObject([{ id: made.id, user_id: ada.id }])
    expect(found.text).not.toContain('"token"')
    const holders = (await root.get('/personal_access_tokens?per_page=100')).body.map(({ user_id }: { user_id: number }) => user_id)
    expect(holders).toEqual(expect.arrayContaining([ada.id, bob.id, forge.root.id]))
    expect((await root.delete(`/personal_access_tokens/${made.id}`)).status).toBe(204)
    expect((await asHolder(made.token).get('/user')).status).toBe(401)
    const { body: given } = await root.post(`/users/${ada.id}/personal_access_tokens`, { name: 'given', scopes: ['api'] })
    expect((await asHolder(given.token).get('/personal_access_tokens/self')).body).toMatchObject({ id: given.id, name: 'given' })
  })

  test('of a blocked user opens nothing', async () => {
    const carl = await forge.user()
    const root = forge.as(forge.root)
    await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', carl.id).execute()
    for (const path of [`/users/${carl.id}/personal_access_tokens`, impersonations(carl)]) {
      const { body } = await root.post(path, { name: 'x', scopes: ['api'] })
      expect((await asHolder(body.token).get('/user')).status).toBe(403)
    }
  })

  test('that is revoked opens no repository any more', async () => {
    const project = await forge.project({ owner: ada })
    const { body: made } = await forge.as(ada).post('/user/personal_access_tokens', { name: 'git', scopes: ['read_repository'] })
    const remote = await forge.remote(project, { ...ada, token: made.token })
    const folder = await forge.folder()
    expect((await tryGit(folder, 'ls-remote', remote)).stdout).toContain('refs/heads/main')
    await forge.as(ada).delete(`/personal_access_tokens/${made.id}`)
    expect((await tryGit(folder, 'ls-remote', remote)).stderr).toMatch(/Authentication failed|HTTP Basic/)
  })
})

test('bots and the Ghost User can’t be impersonated', async () => {
  const ghost = await forge.user()
  await forge.app.db.updateTable('users').set({ kind: 'ghost' }).where('id', '=', ghost.id).execute()
  for (const path of [impersonations(ghost), `/users/${ghost.id}/personal_access_tokens`]) {
    await expectRefused(() => forge.as(forge.root).post(path, { name: 'x', scopes: ['api'] }), 403, {
      message: '403 Forbidden - This user can’t be impersonated.',
    })
  }
})

test.each([
  [{ scopes: ['api'] }, { error: 'name is missing' }],
  [{ name: '', scopes: ['api'] }, { message: { name: ["can't be blank"] } }],
  [{ name: 'x'.repeat(256), scopes: ['api'] }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
  [{ name: 'a\0b', scopes: ['api'] }, { error: 'name is invalid' }],
  [{ name: 'a\u001b[2Jb', scopes: ['api'] }, { message: { name: ['is invalid'] } }],
  [{ name: 'x', description: 'x'.repeat(256), scopes: ['api'] }, { message: { description: ['is too long (maximum is 255 characters)'] } }],
  [{ name: 'x' }, { message: { scopes: ["can't be blank"] } }],
  [{ name: 'x', scopes: [] }, { message: { scopes: ["can't be blank"] } }],
  [{ name: 'x', scopes: ['admin'] }, unavailable],
  [{ name: 'x', scopes: ['api', 'API'] }, unavailable],
  [{ name: 'x', scopes: ['api sudo'] }, unavailable],
  [{ name: 'x', scopes: [''] }, unavailable],
  [{ name: 'x', scopes: [{ api: true }] }, { error: 'scopes[0] is invalid' }],
  [{ name: 'x', scopes: ['api'], expires_at: 'tomorrow' }, { error: expect.stringMatching(/^expires_at /) }],
  [{ name: 'x', scopes: ['api'], expires_at: '2030-02-30' }, { error: expect.stringMatching(/^expires_at /) }],
])('%j makes no token', async (body, refusal) => {
  const root = forge.as(forge.root)
  for (const path of [impersonations(ada), `/users/${ada.id}/personal_access_tokens`, '/user/personal_access_tokens']) {
    await expectRefused(() => root.post(path, body), 400, refusal)
  }
})

test('a scope given twice counts once', async () => {
  const { body } = await forge.as(ada).post('/user/personal_access_tokens', { name: 'x', scopes: ['api', 'api'] })
  expect(body.scopes).toEqual(['api'])
})

test('ten tokens made at the same time are ten', async () => {
  const make = () => forge.as(bob).post('/user/personal_access_tokens', { name: 'race', scopes: ['api'] })
  const answers = await Promise.all(Array.from({ length: 10 }, make))
  expect(new Set(answers.map(({ body }) => body.token)).size).toBe(10)
})
