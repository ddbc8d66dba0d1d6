/** Administrators see who is refused now, by which limit and until when, and let them in again. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { countInvitation, countSignUp } from '../../../access/passwords/rate-limit.ts'
import { signInByPassword } from '../../../access/users.ts'

const address = '/admin/rate_limits'
const password = 'correct horse battery'
let forge: Forge
let admin: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  admin = await forge.user({ password, admin: true })
  me = await signedIn(forge, admin)
})

beforeEach(async () => {
  await forge.app.db.deleteFrom('sign_in_failures').execute()
  forge.app.limits.throttles.rules = null
})

const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })

/** The rows, as text. */
async function rows(): Promise<string[]> {
  const { text } = await me.get(address)
  expect(readDocument(text).faults).toEqual([])
  const list = /<ul class="rows">(.*?)<\/ul>/s.exec(text)?.[1] ?? ''
  return list.split('<li>').flatMap(
    (row) =>
      row
        .replaceAll(/<[^>]+>|\s+/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim() || [],
  )
}

test('without anybody refused, it says so', async () => {
  const { text } = await me.get(address)
  expect([text.includes('Nobody is refused now.'), readDocument(text).faults]).toEqual([true, []])
})

test('an address and a user beyond limits of requests are there with the limit, and those within are not', async () => {
  const user = await forge.user({ name: `<b>"'&` })
  // A period that no other test of this process has counted in, and of less than a day: the end of a longer one can be "tomorrow".
  const limits = { throttle_unauthenticated_requests_per_period: 1, throttle_authenticated_api_requests_per_period: 1 }
  const periods = { throttle_unauthenticated_period_in_seconds: 80_001, throttle_authenticated_api_period_in_seconds: 80_002 }
  const on = { throttle_unauthenticated_enabled: true, throttle_authenticated_api_enabled: true }
  expect((await forge.as(forge.root).put('/application/settings', { ...on, ...limits, ...periods })).status).toBe(200)
  for (const status of [200, 429]) expect((await forge.anonymous.get('/projects', from('192.0.2.11'))).status).toBe(status)
  for (const status of [200, 429]) expect((await forge.as(user).get('/user', from('192.0.2.12'))).status).toBe(status)
  expect((await forge.anonymous.get('/projects', from('2001:db8::1'))).status).toBe(200)
  const found = await rows()
  expect(found).toEqual([
    expect.stringMatching(/^192\.0\.2\.11 Requests without signing in 2, of at most 1 ends in /),
    expect.stringMatching(new RegExp(`@${user.username} Requests to the API 2, of at most 1 ends in `)),
  ])
})

test('locked logins are listed by their account, never by the typed text; locked sign-ups and mails are listed, too', async () => {
  const user = await forge.user()
  // So long that it needs no hash.
  const wrong = 'x'.repeat(10_000)
  for (let index = 0; index < 10; index += 1)
    for (const login of [user.username, 'my secret'])
      expect(await signInByPassword(forge.app.db, login, wrong, `198.51.100.${index}`)).toBeNull()
  for (let index = 0; index < 10; index += 1) await countSignUp(forge.app.db, '203.0.113.7')
  for (let index = 0; index < 5; index += 1) await countInvitation(forge.app.db, { user_id: user.id, email: 'somebody@example.com' })
  const found = await rows()
  const all = found.join('\n')
  expect(found.length).toBe(4)
  expect(all).toContain(`@${user.username} Sign-ins, after wrong passwords from anywhere`)
  expect(all).toContain('A login that nobody has Sign-ins, after wrong passwords from anywhere')
  expect(all).toContain('203.0.113.7 Sign-ups from this address 10, of at most 10')
  expect(all).toContain('An address of mail')
  expect(/my secret|somebody@/.test(all)).toBe(false)
})

test('a lock that is lifted lets the user in again, is in the audit log, and can’t be lifted twice or by others', async () => {
  const user = await forge.user({ password })
  const wrong = 'x'.repeat(10_000)
  for (let index = 0; index < 10; index += 1) await signInByPassword(forge.app.db, user.username, wrong, `198.51.100.${index}`)
  const signIn = () => signInByPassword(forge.app.db, user.username, password, '192.0.2.1')
  await expect(signIn()).rejects.toMatchObject({ code: 'too_many' })

  const { text } = await me.get(address)
  const key = /name="key" value="([^"]+)"/.exec(text)?.[1] ?? ''
  expect(key).toMatch(/^login [\w-]{43}$/)
  const other = await signedIn(forge, await forge.user({ password }))
  const form_token = /name="form_token" value="([^"]+)"/.exec((await other.get('/')).text)?.[1] ?? ''
  expect((await other.post(`${address}/lift`, { form_token, key })).status).toBe(404)
  await expect(signIn()).rejects.toMatchObject({ code: 'too_many' })

  const lifted = await me.submit(address, `${address}/lift`)
  expect(await noticeAt(me, lifted.location)).toBe('Limit lifted')
  expect((await signIn())?.id).toBe(user.id)
  const { body } = await forge.as(forge.root).get(`/audit_events?entity_type=User&entity_id=${user.id}`)
  expect(body[0]).toMatchObject({
    event_name: 'sign_in_limit_lifted',
    details: { author_name: admin.username, limit: 'passwords_of_login', custom_message: 'Lifted a limit of sign-ins or mail' },
  })
  const again = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] ?? ''
  for (const gone of [key, 'pair x', '', 'login %']) {
    const { location } = await me.post(`${address}/lift`, { form_token: again, key: gone })
    expect(await noticeAt(me, location)).toBe('This limit refuses nobody any more.')
  }
})
