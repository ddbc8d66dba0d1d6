/** Making oneself an account: where it is open, with which addresses, and what comes of it. */
import { afterEach, expect, test } from 'vitest'
import { type Browser, browserOf, type Shown } from '../../../test/support/browser.ts'
import { testForge } from '../../../test/support/forge.ts'
import { isExternalByDefault } from '../../features/instance/settings/external-users.ts'
import { type Settings, writeSettings } from '../../features/instance/settings/settings.service.ts'

afterEach(async () => {
  await (await testForge()).app.db.deleteFrom('settings').execute()
})

let counter = 0

async function settle(settings: Partial<Settings>): Promise<void> {
  await writeSettings((await testForge()).app.db, settings)
}

interface Account {
  username: string
  name: string
  email: string
  password: string
}

/** Each from an address of its own: from one there come only so many. */
async function signUp(
  change: Partial<Account> = {},
  from = `192.0.2.${++counter}`,
): Promise<{ me: Browser; account: Account; answer: Shown }> {
  const me = browserOf((await testForge()).server)
  const username = `newcomer${++counter}`
  const account = { username, name: 'New Comer', email: `${username}@example.com`, password: 'a long password', ...change }
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/users/sign_up')).text)?.[1] ?? ''
  return { me, account, answer: await me.post('/users/sign_up', { form_token: token, ...account }, { 'x-forwarded-for': from }) }
}

async function exists(username: string): Promise<boolean> {
  const forge = await testForge()
  return (await forge.as(forge.root).get(`/users?username=${username}`)).body.length > 0
}

test('a user who signs up is signed in, and has the rights of the settings', async () => {
  const forge = await testForge()
  await settle({ after_sign_up_text: 'Read the **rules** first', default_projects_limit: 3 })
  const { me, account, answer } = await signUp()
  expect([answer.status, answer.text.includes('Read the <strong>rules</strong> first')]).toEqual([201, true])
  const { body } = await forge.as(forge.root).get(`/users?username=${account.username}`)
  expect(body).toEqual([
    expect.objectContaining({ name: 'New Comer', email: account.email, projects_limit: 3, is_admin: false, state: 'active' }),
  ])
  expect(JSON.parse((await me.get('/api/v4/user')).text).confirmed_at).not.toBeNull()
})

test('newcomers are external where the setting says so, but for those whose address says that they belong here', async () => {
  const forge = await testForge()
  await settle({ user_default_external: true, user_default_internal_regex: '@(inside|within)\\.example$' })
  for (const [email, external] of [
    ['one@outside.example', true],
    ['two@INSIDE.example', false],
    ['three@inside.example.org', true],
  ] as const) {
    const { account } = await signUp({ email })
    const [{ external: is }] = (await forge.as(forge.root).get(`/users?username=${account.username}`)).body
    expect([email, is]).toEqual([email, external])
  }
})

test('a pattern that never comes to an end with an address doesn’t hold up the service, and finds nobody', async () => {
  const settings = { user_default_external: true, user_default_internal_regex: '^([a-z]+)*@inside\\.example$' }
  expect(isExternalByDefault(settings, `${'a'.repeat(200)}@outside.example`)).toBe(true)
  expect(isExternalByDefault(settings, 'a@INSIDE.example')).toBe(false)
})

test('where accounts are to be confirmed they wait for an administrator, who lets them in by approving them', async () => {
  const forge = await testForge()
  await settle({ send_user_confirmation_email: true })
  const { me, account, answer } = await signUp()
  expect([answer.status, answer.text.includes('is waiting for an administrator')]).toEqual([201, true])
  expect((await me.get('/api/v4/user')).status).toBe(401)
  const credentials = { login: account.username, password: account.password }
  const waiting = await me.submit('/users/sign_in', '/users/sign_in', credentials)
  expect([waiting.status, waiting.text.includes('is waiting for an administrator')]).toEqual([403, true])

  const [{ id, state }] = (await forge.as(forge.root).get(`/users?username=${account.username}`)).body
  expect(state).toBe('blocked_pending_approval')
  await forge.as(forge.root).post(`/users/${id}/approve`)
  expect((await me.submit('/users/sign_in', '/users/sign_in', credentials)).status).toBe(303)
})

test('nobody signs up where sign-up or password sign-in is disabled', async () => {
  for (const closed of [{ signup_enabled: false }, { password_authentication_enabled_for_web: false }]) {
    const me = browserOf((await testForge()).server)
    const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/users/sign_up')).text)?.[1] as string
    await settle(closed)
    const fields = { form_token: token, username: 'intruder', name: 'I', email: 'intruder@example.com', password: 'a long password' }
    expect((await me.get('/users/sign_up')).location).toBe('/users/sign_in')
    expect((await me.get('/users/sign_in')).text).not.toContain('/users/sign_up')
    expect((await me.post('/users/sign_up', fields)).status).toBe(403)
    expect(await exists('intruder')).toBe(false)
    await settle({ signup_enabled: true, password_authentication_enabled_for_web: true })
  }
})

test('addresses are judged by the lists of domains, whatever their case, and * stands for anything', async () => {
  const blocked = 'Email is not from an allowed domain.'
  const unlisted = 'Email domain is not authorized for sign-up'
  for (const [settings, email, fieldError] of [
    [{ domain_blacklist_enabled: true, domain_blacklist: ['bad.example', '*.bad.example'] }, 'a@bad.example', blocked],
    [{ domain_blacklist_enabled: true, domain_blacklist: ['bad.example', '*.bad.example'] }, 'a@deep.in.BAD.example', blocked],
    [{ domain_blacklist_enabled: true, domain_blacklist: ['bad.example', '*.bad.example'] }, 'a@bad.example.', blocked],
    [{ domain_blacklist_enabled: true, domain_blacklist: ['bad.example', '*.bad.example'] }, ' a@bad.example ', blocked],
    [{ domain_blacklist_enabled: true, domain_blacklist: ['bad.example', '*.bad.example'] }, 'a@notbad.example', null],
    [{ domain_blacklist_enabled: false, domain_blacklist: ['bad.example'] }, 'b@bad.example', null],
    [{ domain_whitelist: ['Good.example', '*.good.example'] }, 'a@good.example', null],
    [{ domain_whitelist: ['Good.example', '*.good.example'] }, 'a@x.good.example', null],
    [{ domain_whitelist: ['Good.example', '*.good.example'] }, 'a@evilgood.example', unlisted],
    [{ domain_whitelist: ['good.example'] }, '"a@good.example"@evil.example', unlisted],
    [{ domain_whitelist: [] }, 'a@anything.example', null],
    [{ domain_whitelist: ['both.example'], domain_blacklist_enabled: true, domain_blacklist: ['*'] }, 'a@both.example', null],
  ] as const) {
    await settle(settings as unknown as Partial<Settings>)
    const { account, answer } = await signUp({ email })
    const said = fieldError === null || answer.text.includes(fieldError)
    expect([settings, email, answer.status, said]).toEqual([settings, email, fieldError === null ? 201 : 422, true])
    expect(await exists(account.username)).toBe(fieldError === null)
    await (await testForge()).app.db.deleteFrom('settings').execute()
  }
})

test('what is taken or malformed is refused with the form as it was, without the password', async () => {
  const taken = (await signUp()).account
  for (const [change, fieldError] of [
    [{ username: taken.username.toUpperCase() }, 'Username has already been taken'],
    [{ email: taken.email.toUpperCase() }, 'Email has already been taken'],
    [{ username: 'a b' }, 'Username '],
    [{ username: '' }, 'Username '],
    [{ username: 'a\0b' }, 'sername is invalid'],
    [{ email: 'nowhere' }, 'Email is invalid'],
    [{ password: 'short' }, 'Password is too short (minimum is 8 characters)'],
    [{ name: '<script>alert(1)</script>', password: 'short' }, '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ] as const) {
    const { me, account, answer } = await signUp(change)
    expect([change, [422, 409].includes(answer.status), answer.text.includes(fieldError)]).toEqual([change, true, true])
    expect(answer.text).not.toContain('<script>')
    expect(answer.text).not.toContain(`value="${account.password}"`)
    expect((await me.get('/api/v4/user')).status).toBe(401)
  }
})

test('from one address there come only so many accounts in a minute', async () => {
  const statuses: number[] = []
  for (let index = 0; index < 11; index++) statuses.push((await signUp({ password: 'short' }, '198.51.100.7')).answer.status)
  expect(statuses).toEqual([...Array(10).fill(422), 429])
})

test('with approval required, an account waits for an administrator, whatever the confirmation of its address', async () => {
  const forge = await testForge()
  await settle({ require_admin_approval_after_user_signup: true })
  const { me, account, answer } = await signUp()
  expect([answer.status, answer.text.includes('is waiting for an administrator to approve it')]).toEqual([201, true])
  expect((await me.get('/api/v4/user')).status).toBe(401)
  const credentials = { login: account.username, password: account.password }
  const waiting = await me.submit('/users/sign_in', '/users/sign_in', credentials)
  expect([waiting.status, waiting.text.includes('is waiting for an administrator to approve it')]).toEqual([403, true])

  const [{ id, state }] = (await forge.as(forge.root).get(`/users?username=${account.username}&blocked_pending_approval=true`)).body
  expect(state).toBe('blocked_pending_approval')
  await forge.as(forge.root).post(`/users/${id}/approve`)
  expect((await me.submit('/users/sign_in', '/users/sign_in', credentials)).status).toBe(303)
})
