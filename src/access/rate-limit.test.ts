/** Guesses are slowed down, and nobody is kept out by the guesses of others. */
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../test/support/forge.ts'
import { openDatabase } from '../db/database.ts'
import { pruneSessions } from '../features/people/sessions/sessions.jobs.ts'
import { passwordMatches } from './passwords.ts'
import { assertNotLimited, countSignUp, noteFailure } from './rate-limit.ts'
import { signIn, signInByPassword } from './users.ts'

const password = 'correct horse battery'

let forge: Forge
let user: TestUser

beforeEach(async () => {
  forge = await testForge()
  await forge.app.db.deleteFrom('sign_in_failures').execute()
  // A user of their own: a password that was right is cached.
  user = await forge.user({ password: `${password} ${Math.random()}` })
})

const right = () => user.password as string

async function fail(login: string, address: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) await noteFailure(forge.app.db, { login, address })
}

/** A botnet: one wrong guess from each of so many networks. */
async function failFromEverywhere(login: string, networks: number): Promise<void> {
  for (let index = 0; index < networks; index += 1) await fail(login, `2001:db8:${index.toString(16)}::1`)
}

/** What becomes of an attempt: whether it was right, or the seconds to wait. */
async function attempt(login: string, secret: string, address: string): Promise<boolean | number> {
  try {
    return (await signInByPassword(forge.app.db, login, secret, address)) !== null
  } catch (error) {
    const { code, retry_after_s } = error as { code: string; retry_after_s: number }
    expect(code).toBe('too_many')
    return retry_after_s
  }
}

test('however often others fail at an account, the right password works from elsewhere', async () => {
  await failFromEverywhere(user.username, 300)
  await failFromEverywhere(user.email, 300)
  expect(await attempt(user.username, right(), '198.51.100.1')).toBe(true)
  const second = await forge.user({ password: `${password} of another` })
  await failFromEverywhere(second.email, 50)
  // Not even two typing errors before it keep its owner out.
  expect(await attempt(second.email, 'wrong', '198.51.100.2')).toBe(false)
  expect(await attempt(second.email, 'wrong', '198.51.100.2')).toBe(false)
  expect(await attempt(second.email, second.password as string, '198.51.100.2')).toBe(true)
})

test('a network has three failures in ten minutes at an attacked login, and ten a minute elsewhere', async () => {
  await failFromEverywhere(user.username, 20)
  await fail(user.username, '198.51.100.1', 3)
  const wait_s = (await attempt(user.username, right(), '198.51.100.1')) as number
  expect(wait_s).toBeGreaterThan(60)
  expect(wait_s).toBeLessThanOrEqual(600)
  // It is this network at this login alone.
  const other = await forge.user({ password: `${password} too` })
  expect(await attempt(other.username, other.password as string, '198.51.100.1')).toBe(true)
  expect(await attempt(user.username, right(), '198.51.100.2')).toBe(true)
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
  // A window that has ended begins anew with the next failure.
  await fail('nobody1', '198.51.100.1')
  const counts = await forge.app.db.selectFrom('sign_in_failures').select('failures').where('key', '=', 'network 198.51.100.1').execute()
  expect(counts).toEqual([{ failures: 1 }])
})

test('addresses of IPv6 are counted by their network of 64 bits', async () => {
  for (let index = 0; index < 10; index += 1) await fail('nobody', `2001:db8:1:2::${index + 1}`)
  expect(await attempt(user.username, right(), '2001:db8:1:2:ffff::1')).toEqual(expect.any(Number))
  expect(await attempt(user.username, right(), '2001:db8:1:3::1')).toBe(true)
})

test('limits reveal neither whether a login exists nor whose email is whose', async () => {
  // The same of a username, its address and a name that is nobody's; each is counted for itself.
  for (const login of [user.username, user.email, 'nobody-at-all']) {
    await forge.app.db.deleteFrom('sign_in_failures').execute()
    await failFromEverywhere(login, 20)
    const seen = []
    for (const tried of [login, login.toUpperCase(), ` ${login} `, 'another']) seen.push(await attempt(tried, 'wrong', '198.51.100.1'))
    seen.push(await attempt(login, 'wrong', '198.51.100.1'))
    expect([login, seen]).toEqual([login, [false, false, false, false, expect.any(Number)]])
  }
  await forge.app.db.deleteFrom('sign_in_failures').execute()
  await failFromEverywhere(user.username, 20)
  await fail(user.email, '198.51.100.1', 3)
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

test('a right password writes nothing, and a cached one is not even checked against the limit', async () => {
  const { db } = forge.app
  await signInByPassword(db, user.username, right(), '198.51.100.1')
  expect(await db.selectFrom('sign_in_failures').selectAll().execute()).toEqual([])
  const { statements } = await forge.cost(() => signInByPassword(db, user.username, right(), '198.51.100.1'))
  expect(statements).toBe(1)
  // It passes, too, from a network that others have used up.
  await fail('nobody', '198.51.100.1', 10)
  expect(await attempt(user.username, right(), '198.51.100.1')).toBe(true)
})

test('concurrent guesses are counted one by one', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt(user.username, `wrong ${index}`, '198.51.100.1')))
  const looked_at = answers.filter((answer) => answer === false).length
  // Two are looked at at the same time.
  expect(looked_at).toBeGreaterThanOrEqual(10)
  expect(looked_at).toBeLessThanOrEqual(11)
})

test('counts hold for every process, contain nothing that was typed, and expire', async () => {
  const { app } = forge
  const secret = 'a password in the wrong field'
  const elsewhere = openDatabase(app.config.database_url ?? join(app.config.home, 'gitstead.sqlite'))
  try {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => noteFailure(index % 2 ? elsewhere : app.db, { login: secret, address: '198.51.100.1' })),
    )
    for (const db of [app.db, elsewhere]) {
      await expect(assertNotLimited(db, { login: user.username, address: '198.51.100.1' })).rejects.toMatchObject({ code: 'too_many' })
      await assertNotLimited(db, { login: user.username, address: '198.51.100.2' })
    }
  } finally {
    await elsewhere.destroy()
  }
  const rows = await app.db.selectFrom('sign_in_failures').selectAll().execute()
  expect(rows.map(({ failures }) => failures)).toEqual([10, 10, 10])
  expect(JSON.stringify(rows)).not.toContain('password')
  await app.db.updateTable('sign_in_failures').set({ ends_at: '2020-01-01T00:00:00.000Z' }).where('key', 'like', 'network%').execute()
  await pruneSessions.handle(app, {})
  expect(await app.db.selectFrom('sign_in_failures').select('key').execute()).toHaveLength(2)
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
