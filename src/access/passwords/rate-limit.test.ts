/** Guesses are limited by network and by account, and the guesses of others lock no user out. */
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'
import { type Db, openDatabase } from '../../db/database.ts'
import { pruneSessions } from '../../features/people/sessions/sessions.jobs.ts'
import { beginSession } from '../../features/people/sessions/sessions.ts'
import { requireUser, signIn, signInByPassword } from '../users.ts'
import { rememberNetwork } from './known-networks.ts'
import { passwordMatches } from './passwords.ts'
import { admitAttempt, countSignUp } from './rate-limit.ts'

const password = 'correct horse battery'

let forge: Forge
let user: TestUser

beforeEach(async () => {
  forge = await testForge()
  await forge.app.db.deleteFrom('sign_in_failures').execute()
  // A new user, since right passwords are cached.
  user = await forge.user({ password: `${password} ${Math.random()}` })
})

const right = () => user.password as string

const fail = async (login: string, address: string) => failIn(forge.app.db, login, address)

async function failIn(db: Db, login: string, address: string): Promise<void> {
  const admitted = await admitAttempt(db, { login, address, user_id: null }, async () => false)
  await admitted.wasWrong()
}

/** The user has signed in from this network with a browser. */
async function knowNetwork(address: string): Promise<void> {
  await beginSession(forge.app, await requireUser(forge.app.db, user.id), { address, agent: undefined })
}

/** A botnet: one wrong guess from each of so many networks. */
async function failFromEverywhere(login: string, networks: number): Promise<void> {
  for (let index = 0; index < networks; index += 1) await fail(login, `2001:db8:${index.toString(16)}::1`)
}

/** The outcome of an attempt: whether the password was right, or the seconds to wait. */
async function attempt(login: string, secret: string, address: string): Promise<boolean | number> {
  try {
    return (await signInByPassword(forge.app.db, login, secret, address)) !== null
  } catch (error) {
    const { code, retry_after_s } = error as { code: string; retry_after_s: number }
    expect(code).toBe('too_many')
    return retry_after_s
  }
}

test('after ten guesses at an account in ten minutes, from any networks, even the right password is refused', async () => {
  await failFromEverywhere(user.username, 10)
  const wait_s = (await attempt(user.username, right(), '198.51.100.1')) as number
  expect(wait_s).toBeGreaterThan(60)
  expect(wait_s).toBeLessThanOrEqual(600)
  // Other logins are not affected.
  const other = await forge.user({ password: `${password} too` })
  expect(await attempt(other.username, other.password as string, '198.51.100.1')).toBe(true)
})

test('a locked user can sign in from known networks, and keeps sessions and tokens', async () => {
  await knowNetwork('198.51.100.1')
  await knowNetwork('2001:db8:ffff::1')
  await failFromEverywhere(user.username, 10)
  // Two typing errors before the right password are allowed there; a third one locks the network.
  expect(await attempt(user.username, 'wrong', '198.51.100.1')).toBe(false)
  expect(await attempt(user.username, 'wrong', '198.51.100.1')).toBe(false)
  expect(await attempt(user.username, 'wrong', '198.51.100.1')).toBe(false)
  expect(await attempt(user.username, right(), '198.51.100.1')).toEqual(expect.any(Number))
  expect(await attempt(user.username, right(), '2001:db8:ffff::2')).toBe(true)
  expect((await forge.as(user).get('/user')).status).toBe(200)
  expect(await forge.app.db.selectFrom('sessions').select('digest').where('user_id', '=', user.id).execute()).toHaveLength(2)
})

test('a network stays known after all its sessions have ended', async () => {
  await knowNetwork('198.51.100.1')
  await forge.app.db.deleteFrom('sessions').where('user_id', '=', user.id).execute()
  await failFromEverywhere(user.username, 10)
  expect(await attempt(user.username, right(), '198.51.100.1')).toBe(true)
})

test('the fifty latest networks of a user are remembered', async () => {
  for (let index = 0; index < 51; index += 1) await rememberNetwork(forge.app.db, user.id, `198.51.100.${index}`)
  const rows = await forge.app.db.selectFrom('known_networks').select('network').where('user_id', '=', user.id).execute()
  expect(rows).toHaveLength(50)
  expect(rows).toContainEqual({ network: '198.51.100.50' })
})

test('each lock in a row lasts twice as long, up to an hour, for existing and unknown logins; refused attempts do not count', async () => {
  const end = (at_ms: number) =>
    forge.app.db
      .updateTable('sign_in_failures')
      .set({ ends_at: new Date(Date.now() - at_ms).toISOString() })
      .execute()
  for (const login of [user.username, 'nobody-at-all']) {
    await forge.app.db.deleteFrom('sign_in_failures').execute()
    const waits_min = []
    for (let round = 0; round < 4; round += 1) {
      await failFromEverywhere(login, 10)
      for (const _ of [1, 2]) waits_min.push(Math.round(((await attempt(login, 'wrong', '198.51.100.1')) as number) / 60))
      await end(1)
    }
    expect([login, waits_min]).toEqual([login, [10, 10, 20, 20, 40, 40, 60, 60]])
    // After a day the next lock is a first one again, even if the count has not been deleted.
    await end(24 * 60 * 60_000 + 1)
    await failFromEverywhere(login, 10)
    expect(Math.round(((await attempt(login, 'wrong', '198.51.100.1')) as number) / 60)).toBe(10)
  }
})

test('locks of a network become longer each time, too', async () => {
  const waits_min = []
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 10; index += 1) await fail(`nobody${index}`, '198.51.100.1')
    waits_min.push(Math.round(((await attempt(user.username, right(), '198.51.100.1')) as number) / 60))
    await forge.app.db
      .updateTable('sign_in_failures')
      .set({ ends_at: '2020-01-01T00:00:00.000Z' })
      .where('key', 'not like', 'network%')
      .execute()
    await forge.app.db
      .updateTable('sign_in_failures')
      .set({ ends_at: new Date(Date.now() - 1).toISOString() })
      .execute()
  }
  expect(waits_min).toEqual([1, 2, 4])
})

test('a right tenth attempt does not lock the login', async () => {
  await failFromEverywhere(user.username, 9)
  expect(await attempt(user.username, right(), '198.51.100.1')).toBe(true)
  expect(await forge.app.db.selectFrom('sign_in_failures').select('key').where('lockouts', '>', 0).execute()).toEqual([])
})

test('wrong second factors are counted separately from wrong passwords', async () => {
  const guess = async (secret: 'password' | 'second_factor', address: string) =>
    (await admitAttempt(forge.app.db, { secret, login: user.username, address, user_id: user.id }, async () => false)).wasWrong()
  for (let index = 0; index < 10; index += 1) await guess('second_factor', `2001:db8:${index.toString(16)}::1`)
  await expect(guess('second_factor', '198.51.100.1')).rejects.toMatchObject({ code: 'too_many' })
  expect(await attempt(user.username, right(), '198.51.100.1')).toBe(true)
})

test('a password of a megabyte counts as wrong, for existing and unknown logins', async () => {
  for (const login of [user.username, 'nobody-at-all']) {
    const tries = []
    for (let index = 0; index < 11; index += 1) tries.push(await attempt(login, 'x'.repeat(1_048_576), `2001:db8:${index}::1`))
    expect([login, tries]).toEqual([login, [...Array.from({ length: 10 }, () => false), expect.any(Number)]])
  }
})

test('at most ten of 200 concurrent guesses are checked, from as many networks and by two processes', async () => {
  const { app } = forge
  const elsewhere = openDatabase(app.config.database_url ?? join(app.config.home, 'gitstead.sqlite'))
  let lookedAt = 0
  const guess = async (db: Db, index: number) => {
    const address = `2001:db8:${index.toString(16)}::1`
    const admitted = await admitAttempt(db, { login: user.username, address, user_id: user.id }, async () => false).catch(() => null)
    if (admitted) lookedAt += 1
    await admitted?.wasWrong()
  }
  try {
    await Promise.all(Array.from({ length: 200 }, (_, index) => guess(index % 2 ? elsewhere : app.db, index)))
  } finally {
    await elsewhere.destroy()
  }
  expect(lookedAt).toBe(10)
})

test('a network with ten failures in a minute, at any logins, is refused for a while, even with right passwords', async () => {
  for (let index = 0; index < 10; index += 1) await fail(`nobody${index}`, '198.51.100.1')
  const wait_s = (await attempt(user.username, right(), '198.51.100.1')) as number
  expect(wait_s).toBeGreaterThan(0)
  expect(wait_s).toBeLessThanOrEqual(60)
  expect(await attempt(user.username, right(), '198.51.100.2')).toBe(true)
  const past = new Date(Date.now() - 1).toISOString()
  await forge.app.db.updateTable('sign_in_failures').set({ ends_at: past }).execute()
  const later = await forge.user({ password: `${password} later` })
  expect(await attempt(later.username, later.password as string, '198.51.100.1')).toBe(true)
  // The next failure after the end of a window begins a new one.
  await fail('nobody1', '198.51.100.1')
  const counts = await forge.app.db.selectFrom('sign_in_failures').select('failures').where('key', '=', 'network 198.51.100.1').execute()
  expect(counts).toEqual([{ failures: 1 }])
})

test('IPv6 addresses are counted by their /64 network', async () => {
  for (let index = 0; index < 10; index += 1) await fail(`nobody${index}`, `2001:db8:1:2::${index + 1}`)
  expect(await attempt(user.username, right(), '2001:db8:1:2:ffff::1')).toEqual(expect.any(Number))
  expect(await attempt(user.username, right(), '2001:db8:1:3::1')).toBe(true)
})

test('limits reveal neither whether a login exists nor which user has an email address', async () => {
  // A username, its email address and an unknown name behave the same; each is counted separately.
  for (const login of [user.username, user.email, 'nobody-at-all']) {
    await forge.app.db.deleteFrom('sign_in_failures').execute()
    await failFromEverywhere(login, 8)
    const seen = []
    for (const tried of [login, login.toUpperCase(), ` ${login} `, 'another']) seen.push(await attempt(tried, 'wrong', '198.51.100.1'))
    expect([login, seen]).toEqual([login, [false, false, expect.any(Number), false]])
    const { statements } = await forge.cost(() => attempt(login, 'wrong', '198.51.100.2'))
    expect([login, statements]).toEqual([login, 3])
  }
  await forge.app.db.deleteFrom('sign_in_failures').execute()
  await failFromEverywhere(user.username, 10)
  expect(await attempt(user.email, right(), '198.51.100.1')).toBe(true)
})

test('an unknown login, a wrong password and a blocked user cost the same statements and one hash', async () => {
  const { db } = forge.app
  const blocked = await forge.user({ password, state: 'blocked' })
  const without = await forge.user()
  const costs = []
  for (const [index, login] of [user.username, user.email, blocked.username, without.username, 'nobody-at-all'].entries()) {
    const address = `198.51.100.${index}`
    const { statements } = await forge.cost(async () => expect(await signIn(db, login, 'wrong one', { address })).toBeNull())
    const { statements: by_page } = await forge.cost(async () => expect(await signInByPassword(db, login, 'wrong', address)).toBeNull())
    costs.push([statements, by_page])
  }
  expect(new Set(costs.map(String)).size).toBe(1)
})

test('a right password is not counted, and a cached one is not checked against the limit', async () => {
  const { db } = forge.app
  await signInByPassword(db, user.username, right(), '198.51.100.1')
  expect(await db.selectFrom('sign_in_failures').selectAll().execute()).toEqual([])
  const { statements } = await forge.cost(() => signInByPassword(db, user.username, right(), '198.51.100.1'))
  expect(statements).toBe(1)
  // It is accepted even from a network that has reached its limit.
  for (let index = 0; index < 10; index += 1) await fail(`nobody${index}`, '198.51.100.1')
  expect(await attempt(user.username, right(), '198.51.100.1')).toBe(true)
})

test('concurrent guesses are counted one by one', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt(user.username, `wrong ${index}`, '198.51.100.1')))
  expect(answers.filter((answer) => answer === false)).toHaveLength(10)
})

test('counts are shared by all processes, contain no typed text, and expire', async () => {
  const { app } = forge
  const secret = 'a password in the wrong field'
  const elsewhere = openDatabase(app.config.database_url ?? join(app.config.home, 'gitstead.sqlite'))
  try {
    await Promise.all(Array.from({ length: 10 }, (_, index) => failIn(index % 2 ? elsewhere : app.db, secret, '198.51.100.1')))
    for (const db of [app.db, elsewhere]) {
      await expect(failIn(db, user.username, '198.51.100.1')).rejects.toMatchObject({ code: 'too_many' })
      await failIn(db, user.username, '198.51.100.2')
    }
  } finally {
    await elsewhere.destroy()
  }
  const rows = await app.db.selectFrom('sign_in_failures').selectAll().execute()
  expect(rows.map(({ failures }) => failures).sort()).toEqual([10, 10, 10, 2, 2, 2])
  expect(JSON.stringify(rows)).not.toContain('password')
  await app.db.updateTable('sign_in_failures').set({ ends_at: '2020-01-01T00:00:00.000Z' }).where('key', 'like', 'network%').execute()
  await pruneSessions.handle(app, {})
  expect(await app.db.selectFrom('sign_in_failures').select('key').execute()).toHaveLength(4)
})

test('a network may sign up ten times a minute', async () => {
  const { db } = forge.app
  for (let index = 0; index < 10; index += 1) await countSignUp(db, `2001:db8::${index + 1}`)
  await expect(countSignUp(db, '2001:db8::99')).rejects.toMatchObject({ code: 'too_many', retry_after_s: expect.any(Number) })
  await countSignUp(db, '2001:db8:0:1::1')
  expect(await attempt(user.username, right(), '2001:db8::99')).toBe(true)
})

test('without a hash every password is wrong and counts as a failure', async () => {
  let wrong = 0
  const onWrong = async () => {
    wrong += 1
  }
  expect([await passwordMatches(null, 'null', { onWrong }), wrong]).toEqual([false, 1])
})
