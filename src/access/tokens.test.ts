import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../test/support/forge.ts'
import { createToken, digestOf, findToken, newToken } from './tokens.ts'
import { findUser, signIn } from './users.ts'

let forge: Forge
let user: TestUser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user({ password: 'a long password' })
})

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

test('tokens are long, unique, and have a prefix', () => {
  const tokens = Array.from({ length: 100 }, newToken)
  expect(new Set(tokens).size).toBe(100)
  for (const token of tokens) expect(token).toMatch(/^gst-[0-9a-f]{40}$/)
})

test('a token is found with its user and scopes, and nothing of it is stored but a digest', async () => {
  const token = await createToken(forge.app.db, { user_id: user.id, name: 'laptop', scopes: ['api', 'sudo'] })
  const found = await findToken(forge.app.db, token)
  expect(found).toMatchObject({ user: { id: user.id, username: user.username, admin: false }, scopes: ['api', 'sudo'], state: 'valid' })
  const rows = await forge.app.db.selectFrom('access_tokens').selectAll().where('name', '=', 'laptop').execute()
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(rows).toMatchObject([{ digest: digestOf(token) }])
  expect(await findToken(forge.app.db, digestOf(token))).toBeNull()
})

test('a chosen token works, and can’t be created twice', async () => {
  const chosen = { user_id: user.id, name: 'chosen', scopes: ['api'] as const, token: 'chosen-token-0123456789' }
  expect(await createToken(forge.app.db, chosen)).toBe('chosen-token-0123456789')
  expect((await findToken(forge.app.db, 'chosen-token-0123456789'))?.state).toBe('valid')
  await expect(createToken(forge.app.db, chosen)).rejects.toThrow()
})

test('a token ends on its day, and at once when it is revoked', async () => {
  const { db } = forge.app
  const states = []
  for (const expires_on of [day(-1), day(0), day(1)]) {
    const token = await createToken(db, { user_id: user.id, name: 'ends', scopes: ['api'], expires_on })
    states.push((await findToken(db, token))?.state)
  }
  expect(states).toEqual(['expired', 'expired', 'valid'])
  const token = await createToken(db, { user_id: user.id, name: 'revoked', scopes: ['api'] })
  await db.updateTable('access_tokens').set({ revoked: true }).where('digest', '=', digestOf(token)).execute()
  expect((await findToken(db, token))?.state).toBe('revoked')
})

test('its last use is noted every ten minutes at most: one statement from then on', async () => {
  const { db } = forge.app
  const token = await createToken(db, { user_id: user.id, name: 'used', scopes: ['api'] })
  const usedAt = async () => {
    await findToken(db, token)
    const row = await db.selectFrom('access_tokens').select('last_used_at').where('digest', '=', digestOf(token)).executeTakeFirstOrThrow()
    return row.last_used_at
  }
  const first = await usedAt()
  expect(Date.now() - Date.parse(first as string)).toBeLessThan(60_000)
  expect((await findUser(db, user.username))?.last_activity_on).toBe(day(0))
  expect((await forge.cost(() => findToken(db, token))).statements).toBe(1)
  expect(await usedAt()).toBe(first)
  const long_ago = new Date(Date.now() - 11 * 60_000).toISOString()
  await db.updateTable('access_tokens').set({ last_used_at: long_ago }).where('digest', '=', digestOf(token)).execute()
  expect((await usedAt()) ?? '').not.toBe(long_ago)
})

test('the use of an expired or revoked token is not recorded', async () => {
  const { db } = forge.app
  const token = await createToken(db, { user_id: user.id, name: 'dead', scopes: ['api'], expires_on: day(-1) })
  await findToken(db, token)
  expect(await db.selectFrom('access_tokens').select('last_used_at').where('digest', '=', digestOf(token)).execute()).toEqual([
    { last_used_at: null },
  ])
})

test('a user is found by number or by name, whatever its case', async () => {
  const { db } = forge.app
  for (const name of [String(user.id), user.username, user.username.toUpperCase()]) expect((await findUser(db, name))?.id).toBe(user.id)
  for (const name of ['0', '999999', 'nobody-here', '', 'a\0b', `${user.id}x`, user.email]) expect(await findUser(db, name)).toBeNull()
})

test('a password authenticates by username or email, for everything but sudo', async () => {
  const { db } = forge.app
  for (const login of [user.username, user.username.toUpperCase(), ` ${user.username} `, user.email, user.email.toUpperCase()]) {
    expect(await signIn(db, login, 'a long password')).toMatchObject({
      user: { id: user.id },
      scopes: ['api', 'read_user', 'read_repository'],
    })
  }
  for (const [login, secret] of [
    [user.username, 'another password'],
    [user.username, ''],
    [user.username, 'a long password '],
    [user.username, 'a\0b'],
    ['nobody-here', 'a long password'],
    ['', 'a long password'],
    [`${user.username}\0`, 'a long password'],
    [String(user.id), 'a long password'],
  ] as const) {
    expect([login, secret, await signIn(db, login, secret)]).toEqual([login, secret, null])
  }
})

test('a token authenticates as password under any name, with its scopes; an expired one doesn’t', async () => {
  const { db } = forge.app
  const token = await createToken(db, { user_id: user.id, name: 'git', scopes: ['read_repository'] })
  for (const login of ['', 'oauth2', user.username, 'anything']) {
    expect(await signIn(db, login, token)).toMatchObject({ user: { id: user.id }, scopes: ['read_repository'] })
  }
  const dead = await createToken(db, { user_id: user.id, name: 'git', scopes: ['api'], expires_on: day(-1) })
  expect(await signIn(db, user.username, dead)).toBeNull()
})

test('a user without a password cannot sign in with any', async () => {
  const { username } = await forge.user()
  for (const secret of ['', 'null', 'undefined', 'a long password']) expect(await signIn(forge.app.db, username, secret)).toBeNull()
})
