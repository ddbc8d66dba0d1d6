/** Mail to users about what lets others into their accounts: whatever their level, and to nobody else. */
import { Secret, TOTP } from 'otpauth'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { gpgKey } from '../../../../test/support/fixtures/gpg-keys.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer, type Received } from '../../../../test/support/mail-server.ts'
import { offerTotp, setUpTotp, turnOffByName } from '../../people/second-factor/second-factor.ts'
import { beginSession } from '../../people/sessions/sessions.ts'
import { createUser } from '../../people/users/users.ts'

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  forge = await openForge({ config: { mail: server.config } })
})
beforeEach(() => void server.received.splice(0))

async function silent(): Promise<TestUser> {
  const user = await forge.user({ password: 'correct horse battery' })
  await forge.as(user).put('/notification_settings', { level: 'disabled' })
  return user
}
async function told(): Promise<Received[]> {
  await forge.drain()
  return server.received.splice(0)
}
const subjects = (received: Received[]) => received.map(({ to, mail }) => [to, mail.subject])

test('a key, a GPG key and a token are told to their user, with what names them', async () => {
  const user = await silent()
  await forge.as(user).post('/user/keys', { title: 'Laptop <b>', key: publicKey() })
  await forge.as(user).post('/user/gpg_keys', { key: gpgKey() })
  await forge.as(forge.root).post(`/users/${user.id}/impersonation_tokens`, { name: 'hidden', scopes: ['api'] })
  await forge.as(user).post('/user/personal_access_tokens', { name: 'Backup', scopes: ['api', 'read_user'] })
  const received = await told()
  expect(subjects(received).sort()).toEqual([
    [user.email, 'A GPG key has been added'],
    [user.email, 'An SSH key has been added'],
    [user.email, 'An access token has been created'],
  ])
  const of = (subject: string) => received.find(({ mail }) => mail.subject?.includes(subject))?.mail
  expect(of('SSH key')?.text).toMatch(/Laptop <b> \(SHA256:\S+\)/)
  expect(String(of('SSH key')?.html)).toContain('Laptop &lt;b&gt;')
  expect(of('token')?.text).toContain('Backup (api, read_user)')
  expect(of('token')?.headers.get('auto-submitted')).toBe('auto-generated')
})

test('a second factor is told of when it is set up, and when it is taken away', async () => {
  const user = await silent()
  const { secret, sealed } = offerTotp(forge.app, user)
  await setUpTotp(forge.app, user, { offer: sealed, code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() })
  await turnOffByName(forge.app, user.username)
  expect(subjects(await told())).toEqual([
    [user.email, 'A second factor has been set up'],
    [user.email, 'The second factor has been removed'],
  ])
})

test('a changed password is reported by mail to its user, also if an administrator changed it', async () => {
  const user = await silent()
  await forge.as(forge.root).put(`/users/${user.id}`, { password: 'chosen by root' })
  expect(subjects(await told())).toEqual([[user.email, 'Your password has been changed']])
})

test('a sign-in from a network that is new to an account is told, once', async () => {
  const user = await silent()
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
  const from = (address: string) => beginSession(forge.app, user, { address, agent: firefox })
  await from('2001:db8:1::1')
  await from('2001:db8:1::2')
  expect(await told()).toEqual([])
  await from('198.51.100.7')
  await from('198.51.100.7')
  const [one, ...more] = await told()
  expect(one?.mail.text).toMatch(/from 198\.51\.100\.7, with Firefox on Linux, at \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  expect(more).toEqual([])
})

test('no mail about accounts goes to an address that nobody has confirmed, nor to who is blocked', async () => {
  const { body } = await forge
    .as(forge.root)
    .post('/users', { username: 'unsure', name: 'Un', email: 'unsure@example.com', password: 'correct horse' })
  await told()
  await forge.as(forge.root).post(`/users/${body.id}/keys`, { title: 'Key', key: publicKey() })
  const blocked = await silent()
  await forge.as(forge.root).post(`/users/${blocked.id}/block`)
  await forge.as(forge.root).post(`/users/${blocked.id}/keys`, { title: 'Key', key: publicKey() })
  expect(await told()).toEqual([])
})

test('the token of a link is in no row of the outbox as it is sent', async () => {
  await forge.as(forge.root).post('/users', { username: 'sealed', name: 'Sealed', email: 'sealed@example.com', reset_password: true })
  const [{ mail }] = (await told()) as [Received]
  const token = /_token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? ''
  expect(token).toHaveLength(43)
  const rows = await forge.app.db.selectFrom('mail_contents').selectAll().execute()
  const jobs = await forge.app.db.selectFrom('jobs').selectAll().execute()
  expect(JSON.stringify([rows, jobs])).not.toContain(token)
})

test('administrators hear of an account that waits for approval, and its user of what became of it', async () => {
  const wait = (username: string, confirmed: boolean) =>
    createUser(forge.app, {
      username,
      name: 'New <b>Comer</b>',
      email: `${username}@example.com`,
      password: 'a long password',
      confirmed,
      state: 'blocked_pending_approval',
    })
  const [approved, unconfirmed, rejected] = [await wait('approved', true), await wait('unconfirmed', false), await wait('rejected', true)]
  const asked = await told()
  expect(asked.map(({ to, mail }) => [to, mail.subject])).toEqual(Array(3).fill([forge.root.email, 'An account waits for approval']))
  expect(asked[0]?.mail.text).toMatch(/New <b>Comer<\/b> \(\w+, \w+@example\.com\) has signed up/)
  expect(String(asked[0]?.mail.html)).toContain('New &lt;b&gt;Comer&lt;/b&gt;')

  for (const { id } of [approved, unconfirmed]) await forge.as(forge.root).post(`/users/${id}/approve`)
  await forge.as(forge.root).post(`/users/${rejected.id}/reject`)
  expect(subjects(await told()).sort()).toEqual([
    ['approved@example.com', 'Your account has been approved'],
    ['rejected@example.com', 'Your sign-up was rejected'],
    ['unconfirmed@example.com', 'Confirm your email address'],
  ])
})
