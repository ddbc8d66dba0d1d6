/** Back into an account by mail, from the form to the link in a message that a real SMTP server got. */
import { hash } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { type Forge, openForge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer, type Received } from '../../../../test/support/mail-server.ts'
import { writeSettings } from '../../../features/instance/settings/settings.service.ts'

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  forge = await openForge({ config: { mail: server.config } })
})
beforeEach(async () => {
  server.received.splice(0)
  await forge.app.db.deleteFrom('sign_in_failures').execute()
})
afterEach(async () => {
  await forge.app.db.deleteFrom('settings').where('name', '=', 'send_user_confirmation_email').execute()
})

const old = 'correct horse battery'
const fresh = 'another horse battery'
const visitor = () => browserOf(forge.server)
const ask = (me: Browser, at: string, email: string) => me.submit(`/users/${at}/new`, `/users/${at}/new`, { email })
const signIn = (me: Browser, login: string, password: string) => me.submit('/users/sign_in', '/users/sign_in', { login, password })

/** The address in the newest message to this reader, as they would open it. */
async function linkTo(email: string): Promise<string> {
  await forge.drain()
  const { mail } = server.received.filter(({ to }) => to === email).at(-1) as Received
  const link = /https?:\S+_token=[\w-]+/.exec(mail.text ?? '')?.[0] ?? ''
  expect(String(mail.html)).toContain(`href="${link}"`)
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

async function submitLink(me: Browser, link: string, fields: Record<string, string> = {}) {
  return me.submit(link, link.split('?')[0] as string, fields)
}

test('a forgotten password is replaced by the link in a message, once, and all sessions end', async () => {
  const user = await forge.user({ password: old })
  const elsewhere = visitor()
  await signIn(elsewhere, user.username, old)
  const me = visitor()
  const asked = await ask(me, 'password', ` ${user.email.toUpperCase()} `)
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('a message is on its way')])
  const link = await linkTo(user.email)

  const differing = await submitLink(me, link, { password: fresh, password_confirmation: 'else' })
  const short = await submitLink(me, link, { password: 'short', password_confirmation: 'short' })
  const set = await submitLink(me, link, { password: fresh, password_confirmation: fresh })

  expect([differing.status, short.status, set.status, set.location]).toEqual([422, 422, 303, '/users/sign_in'])
  expect((await me.get(link)).text).toContain('This link has expired, or was used before')
  expect((await elsewhere.get('/profile')).location).toContain('/users/sign_in')
  expect((await signIn(visitor(), user.username, old)).status).toBe(422)
  expect((await signIn(visitor(), user.username, fresh)).status).toBe(303)
  await forge.drain()
  expect(server.received.map(({ mail }) => mail.subject)).toContain('Your password has been changed')
})

test('the answer doesn’t tell whose address it is: nobody’s, a bot’s, or a blocked user’s', async () => {
  const user = await forge.user({ password: old })
  const blocked = await forge.user({ state: 'blocked' })
  const answers = []
  for (const email of [user.email, 'nobody@example.com', blocked.email]) {
    const { statements } = await forge.cost(async () => {
      const { status, text } = await ask(visitor(), 'password', email)
      answers.push([status, text.replace(/value="[^"]*"/g, '')])
    })
    answers.push(statements)
  }
  expect(answers.slice(2, 4)).toEqual(answers.slice(0, 2))
  expect(answers.slice(4)).toEqual(answers.slice(0, 2))
  await forge.drain()
  expect(server.received.map(({ to }) => to)).toEqual([user.email])
  for (const email of ['', 'nonsense', 'a@b\r\nBcc: c@d', 'a@b,c@d e'])
    expect([email, (await ask(visitor(), 'password', email)).status]).toEqual([email, 422])
})

test('an address gets five messages an hour, whoever asks, and a network asks ten times a minute', async () => {
  const user = await forge.user()
  const statuses: number[] = []
  for (let index = 0; index < 11; index++)
    statuses.push((await ask(visitor(), 'password', index < 6 ? user.email : `a${index}@example.com`)).status)
  await forge.drain()
  expect(server.received.filter(({ to }) => to === user.email)).toHaveLength(5)
  expect(statuses).toEqual([...Array(10).fill(200), 429])
})

test('who signs up where addresses are confirmed gets in by the link, and not before it', async () => {
  await writeSettings(forge.app.db, { send_user_confirmation_email: true })
  const me = visitor()
  const account = { username: 'newcomer', name: 'New', email: 'newcomer@example.com', password: old }
  const signedUp = await me.submit('/users/sign_up', '/users/sign_up', account)
  expect([signedUp.status, signedUp.location]).toEqual([303, '/users/almost_there'])
  expect((await me.get('/users/almost_there')).text).toContain('We have sent you a message')
  const early = await signIn(me, 'newcomer', old)
  expect([early.status, early.text]).toEqual([403, expect.stringContaining('Confirm your email address first')])
  const basic = { authorization: `Basic ${Buffer.from(`newcomer:${old}`).toString('base64')}` }
  const git = await forge.server.inject({ url: '/nobody/nothing.git/info/refs?service=git-upload-pack', headers: basic })
  expect([git.statusCode, git.payload]).toEqual([403, expect.stringContaining('Confirm your email address')])

  const link = await linkTo('newcomer@example.com')
  // Programs open links, too: nothing is done by that.
  await me.get(link)
  expect((await signIn(me, 'newcomer', old)).status).toBe(403)
  const confirmed = await submitLink(me, link)
  expect([confirmed.status, confirmed.location]).toEqual([303, '/users/sign_in'])
  expect((await signIn(me, 'newcomer', old)).status).toBe(303)
})

test('an administrator confirms an address by hand', async () => {
  const created = { username: 'byhand', name: 'By Hand', email: 'by-hand@example.com', password: old }
  await forge.as(forge.root).post('/users', created)
  expect((await signIn(visitor(), 'byhand', old)).status).toBe(403)
  const root = visitor()
  await signIn(root, 'root', forge.root.password as string)
  const done = await root.submit('/admin/users/byhand', '/admin/users/byhand/confirm')
  expect(done.status).toBe(303)
  expect((await signIn(visitor(), 'byhand', old)).status).toBe(303)
})

test('an account that was created without a password invites its user to choose one, which confirms the address', async () => {
  const { body } = await forge
    .as(forge.root)
    .post('/users', { username: 'invited', name: 'In Vited', email: 'invited@example.com', reset_password: true })
  expect(body.confirmed_at).toBeNull()
  const link = await linkTo('invited@example.com')
  expect(server.received.map(({ mail }) => mail.subject)).toEqual(['An account has been created for you'])
  await submitLink(visitor(), link, { password: fresh, password_confirmation: fresh })
  expect((await signIn(visitor(), 'invited', fresh)).status).toBe(303)
  expect((await forge.as(forge.root).get(`/users/${body.id}`)).body.confirmed_at).not.toBeNull()
})

test('a new primary address counts once it is confirmed by its link, and the one before is told', async () => {
  const user = await forge.user({ password: old })
  const wanted = `wanted-${user.username}@example.com`
  await forge.as(forge.root).put(`/users/${user.id}`, { email: wanted })
  const link = await linkTo(wanted)
  expect(await addressOf(user)).toBe(user.email)
  await submitLink(visitor(), link)
  expect(await addressOf(user)).toBe(wanted)
  await forge.drain()
  const [told] = server.received.filter(({ to }) => to === user.email) as [Received]
  expect([told.mail.subject, told.mail.text]).toEqual(['Your email address has been changed', expect.stringContaining(wanted)])
})

const addressOf = async (user: TestUser) => (await forge.as(user).get('/user')).body.email

test('an added address is confirmed by its link, unless it was removed meanwhile', async () => {
  const user = await forge.user()
  const confirmedAt = async (email: string) =>
    (await forge.app.db.selectFrom('emails').select('confirmed_at').where('email', '=', email).executeTakeFirst())?.confirmed_at
  const [kept, removed] = [`kept-${user.username}@example.com`, `removed-${user.username}@example.com`]
  await forge.as(user).post('/user/emails', { email: kept })
  const { body } = await forge.as(user).post('/user/emails', { email: removed })
  expect(await confirmedAt(kept)).toBeNull()
  const [first, second] = [await linkTo(kept), await linkTo(removed)]
  await forge.as(user).delete(`/user/emails/${body.id}`)
  expect([(await submitLink(visitor(), first)).status, (await submitLink(visitor(), second)).status]).toEqual([303, 400])
  expect(await confirmedAt(kept)).not.toBeNull()
})

test('a login that strangers have locked is unlocked by the link of its user', async () => {
  const user = await forge.user({ password: `${old} of mine` })
  const from = (index: number) => ({ 'x-forwarded-for': `2001:db8:${index}::1` })
  const attempt = async (password: string, index: number) => {
    const me = visitor()
    const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/users/sign_in')).text)?.[1] ?? ''
    return me.post('/users/sign_in', { form_token: token, login: user.username, password }, from(index))
  }
  await forge.app.db
    .insertInto('sign_in_failures')
    .values({
      key: `login ${digestOfLogin(user.username)}`,
      failures: 10,
      ends_at: new Date(Date.now() + 600_000).toISOString(),
      lockouts: 0,
    })
    .execute()
  expect((await attempt(user.password as string, 50)).status).toBe(429)
  await ask(visitor(), 'unlock', user.email)
  const done = await submitLink(visitor(), await linkTo(user.email))
  expect(done.status).toBe(303)
  expect((await attempt(user.password as string, 51)).status).toBe(303)
})

const digestOfLogin = (login: string) => hash('sha256', login, 'base64url')

test('without mail the pages say so, and nothing is asked for', async () => {
  const { server: silent } = await testForge()
  for (const at of ['password', 'confirmation', 'unlock']) {
    const me = browserOf(silent)
    expect((await me.get(`/users/${at}/new`)).text).toContain('This server sends no mail')
    const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/users/sign_in')).text)?.[1] ?? ''
    expect((await me.post(`/users/${at}/new`, { form_token: token, email: 'a@example.com' })).status).toBe(403)
  }
  expect((await browserOf(silent).get('/users/sign_in')).text).not.toContain('Forgot')
})
