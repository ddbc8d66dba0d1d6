/** The other pages: the root, help, the password, the terms; and what holds for all of them. */
import { afterEach, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { type TestUser, testForge } from '../../../test/support/forge.ts'
import { type Settings, writeSettings } from '../../features/instance/settings/settings.service.ts'

const password = 'correct horse battery'

afterEach(async () => {
  await (await testForge()).app.db.deleteFrom('settings').execute()
})

async function settle(settings: Partial<Settings>): Promise<void> {
  await writeSettings((await testForge()).app.db, settings)
}

async function browser(): Promise<Browser> {
  return browserOf((await testForge()).server)
}

async function signedIn(user: TestUser, secret = password): Promise<Browser> {
  const me = await browser()
  const answer = await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: secret })
  expect([answer.status, answer.location]).toEqual([303, '/'])
  return me
}

test('an anonymous visitor of the root is redirected to where the setting says, or sees the front page', async () => {
  const me = await browser()
  expect((await me.get('/')).status).toBe(200)
  await settle({ home_page_url: 'https://www.example.com/about' })
  expect((await me.get('/')).location).toBe('https://www.example.com/about')
  await settle({ home_page_url: 'https://exämple.com/日本?ü=\u0007#"' })
  expect((await me.get('/')).location).toBe('https://xn--exmple-cua.com/%E6%97%A5%E6%9C%AC?%C3%BC=%07#%22')
  for (const here of ['http://gitstead.test/', 'http://GITSTEAD.test:80', 'http://gitstead.test/?from=home#top']) {
    await settle({ home_page_url: here })
    expect([here, (await me.get('/')).status]).toEqual([here, 200])
  }
  await settle({ home_page_url: 'https://www.example.com/about' })
  const user = await (await testForge()).user({ password })
  expect((await (await signedIn(user)).get('/')).status).toBe(200)
})

test('the front page names the service, leads to sign in and lists public projects alone', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const open = await forge.project({ owner, visibility: 'public', name: 'Seen by all', files: null })
  const [inside, hidden] = [
    await forge.project({ owner, visibility: 'internal', files: null }),
    await forge.project({ owner, visibility: 'private', files: null }),
  ]
  const me = await browser()
  const { text } = await me.get('/')
  expect(readDocument(text).faults).toEqual([])
  for (const part of ['<h1>gitstead.test</h1>', 'href="/users/sign_in"', 'href="/users/sign_up"', `href="/${open.full_path}"`])
    expect(text).toContain(part)
  for (const { full_path } of [inside, hidden]) expect(text).not.toContain(`href="/${full_path}"`)
  await settle({ signup_enabled: false, sign_in_text: 'The forge of **our** team' })
  const own = (await me.get('/')).text
  expect([own.includes('/users/sign_up'), own.includes('The forge of <strong>our</strong> team')]).toEqual([false, true])
})

test('every page forbids scripts, frames and keeping, and what administrators wrote is rendered without theirs', async () => {
  const hostile = 'Hello **you** <script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>'
  await settle({ help_page_text: hostile, sign_in_text: hostile, terms: hostile, help_page_support_url: 'https://help.example/?a=1&b="' })
  const me = await browser()
  for (const path of ['/', '/help', '/users/sign_in', '/users/sign_up', '/-/terms']) {
    const { status, headers, text } = await me.get(path)
    expect([path, status, headers['cache-control'], headers['x-frame-options']]).toEqual([path, 200, 'no-store', 'DENY'])
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; manifest-src 'self'; connect-src 'self'; .*base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)|<[^>]*(javascript:|onerror)/)
    if (path !== '/users/sign_up') expect(text).toContain('Hello <strong>you</strong>')
  }
  expect((await me.get('/help')).text).toContain('<a href="https://help.example/?a=1&amp;b=&quot;">')
})

test('a password somebody else chose is good for nothing but choosing another', async () => {
  const forge = await testForge()
  const user = await forge.user({ password: 'first password' })
  await forge.as(forge.root).put(`/users/${user.id}`, { password })
  const me = await signedIn(user)
  expect((await me.get('/')).location).toBe('/users/password')
  const api = await me.get('/api/v4/user')
  expect([api.status, JSON.parse(api.text).message]).toEqual([
    403,
    '403 Forbidden - Your password has expired. Choose another at http://gitstead.test/users/password',
  ])
  expect((await forge.as(user).get('/user')).status).toBe(200)
  const change = (fields: object) => me.submit('/users/password', '/users/password', { current_password: password, ...fields })
  for (const [fields, fieldError] of [
    [{ password, password_confirmation: password }, 'The new password must differ from the current one.'],
    [{ password: 'one of my own', password_confirmation: 'another' }, 'The new passwords do not match.'],
    [{ password: 'short', password_confirmation: 'short' }, 'Password is too short (minimum is 8 characters)'],
    [{ current_password: 'wrong', password: 'one of my own', password_confirmation: 'one of my own' }, 'The current password is wrong.'],
  ] as const) {
    const { status, text } = await change(fields)
    expect([fieldError, status, text.includes(fieldError)]).toEqual([fieldError, 422, true])
    expect((await me.get('/')).location).toBe('/users/password')
  }
  expect((await change({ password: 'one of my own', password_confirmation: 'one of my own' })).location).toBe('/')
  expect([(await me.get('/')).status, (await me.get('/api/v4/user')).status]).toEqual([200, 200])
})

test('a password change ends every session but this one, and the old password is rejected', async () => {
  const user = await (await testForge()).user({ password })
  const [here, there] = [await signedIn(user), await signedIn(user)]
  const fields = { current_password: password, password: 'another password', password_confirmation: 'another password' }
  expect((await here.submit('/users/password', '/users/password', fields)).location).toBe('/')
  expect([(await here.get('/profile')).status, (await there.get('/profile')).location]).toEqual([
    200,
    '/users/sign_in?return_to=%2Fprofile',
  ])
  const again = await browser()
  expect((await again.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(422)
  await signedIn(user, 'another password')
})

test('nobody who is not signed in changes a password or accepts terms', async () => {
  await settle({ terms: 'Be kind' })
  const me = await browser()
  expect((await me.get('/users/password')).location).toBe('/users/sign_in')
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/users/sign_in')).text)?.[1] as string
  for (const path of ['/users/password', '/-/terms']) {
    expect((await me.post(path, { form_token: token })).location).toMatch(/^\/users\/sign_in/)
  }
  expect((await me.get('/-/terms')).text).not.toContain('Accept terms')
})

test('terms are accepted on their page, and asked for again when they are others; those that were not read are not accepted', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  await settle({ terms: 'Be kind', enforce_terms: true })
  const me = await signedIn(user)
  expect([(await me.get('/')).location, (await me.get('/api/v4/user')).status]).toEqual(['/-/terms', 403])
  const page = await me.get('/-/terms')
  expect(page.text).toContain('<p>Be kind</p>')
  const hidden = Object.fromEntries(
    [...page.text.matchAll(/name="(form_token|digest)" value="([^"]+)"/g)].map((match) => [match[1], match[2]]),
  )
  await settle({ terms: 'Be kinder' })
  expect((await me.post('/-/terms', hidden as Record<string, string>)).location).toBe('/-/terms')
  expect((await me.get('/api/v4/user')).status).toBe(403)
  expect((await me.submit('/-/terms', '/-/terms')).location).toBe('/')
  expect([(await me.get('/')).status, (await me.get('/api/v4/user')).status]).toEqual([200, 200])
  await settle({ terms: 'Be kindest' })
  expect((await me.get('/')).location).toBe('/-/terms')
  expect((await me.submit('/-/terms', '/users/sign_out')).location).toBe('/users/sign_in')
})

test('without terms the page of the terms doesn’t exist', async () => {
  const { status, text } = await (await browser()).get('/-/terms')
  expect([status, text.includes('There are no terms of service.')]).toEqual([404, true])
})

test('a body that no form of a browser has is rejected with a page', async () => {
  const me = await browser()
  await me.get('/users/sign_in')
  for (const [body, type, expected] of [
    ['{"login":"root"}', 'application/json', 415],
    ['a=%FF', 'application/x-www-form-urlencoded', 400],
    [`login=${'x'.repeat(1_100_000)}`, 'application/x-www-form-urlencoded', 413],
    ['login[]=root&password[a]=b', 'application/x-www-form-urlencoded', 403],
  ] as const) {
    const answer = await (await testForge()).server.inject({
      method: 'POST',
      url: '/users/sign_in',
      headers: { 'content-type': type, cookie: `_service_form=${me.cookies.get('_service_form')}` },
      payload: body,
    })
    expect([body.slice(0, 20), answer.statusCode, answer.headers['content-type']]).toEqual([
      body.slice(0, 20),
      expected,
      'text/html; charset=utf-8',
    ])
  }
})
