/** Pages of applications: one's own, those that one let in, and those of the instance. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import {
  anApplication,
  authorizeAddress,
  browserAs,
  decide,
  postForm,
  redeem,
  redirect_uri,
  tokensFor,
} from '../../../../test/support/oauth.ts'
import { writeSettings } from '../../../features/instance/settings/settings.service.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&`
const own = '/profile/applications'
let forge: Forge
let user: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user({ password })
  me = await browserAs(forge, user)
})

const fields = { name: hostile, redirect_uri, confidential: 'true', scope_api: 'true', scope_read_user: 'true' }
const shownIn = (text: string, label: string) => new RegExp(`<code aria-label="${label}">([^<]+)</code>`).exec(text)?.[1]
const worksWith = async (client_id: string | undefined, client_secret: string | undefined) =>
  (await postForm(forge, '/oauth/token', { grant_type: 'client_credentials', client_id, client_secret })).status

for (const [whose, at] of [
  ['one’s own', own],
  ['the instance’s', '/admin/applications'],
] as const)
  test(`of ${whose} applications the secret is shown once, renewed, and ends with them`, async () => {
    const owner = at === own ? me : await browserAs(forge, forge.root)
    const made = await owner.submit(at, at, fields)
    expect([made.status, readDocument(made.text).faults]).toEqual([201, []])
    const [id, secret] = [shownIn(made.text, 'Application ID'), shownIn(made.text, 'Secret')]
    expect(await worksWith(id, secret)).toBe(200)

    const listed = await owner.get(at)
    expect([readDocument(listed.text).faults, listed.text.includes(secret ?? ''), listed.text.includes('<b>"')]).toEqual([[], false, false])
    const one = new RegExp(`href="(${at}/\\d+)"`).exec(listed.text)?.[1] ?? ''
    const shown = await owner.get(one)
    expect([readDocument(shown.text).faults, shown.text.includes(secret ?? '')]).toEqual([[], false])

    const changed = await owner.submit(one, one, { ...fields, name: 'Renamed', redirect_uri: 'https://elsewhere.example/' })
    expect([changed.status, (await owner.get(at)).text.includes('Renamed')]).toEqual([303, true])
    const renewed = shownIn((await owner.submit(one, `${one}/renew_secret`)).text, 'Secret')
    expect([await worksWith(id, secret), await worksWith(id, renewed)]).toEqual([401, 200])
    expect((await owner.submit(one, `${one}/delete`)).status).toBe(303)
    expect([await worksWith(id, renewed), (await owner.get(one)).status]).toEqual([401, 404])
  })

test('what is wrong stands beside its field, and what was typed is kept', async () => {
  const { status, text } = await me.submit(own, own, {
    ...fields,
    redirect_uri: 'http://app.example/',
    scope_api: 'false',
    scope_read_user: 'false',
  })
  expect([status, readDocument(text).faults]).toEqual([422, []])
  for (const words of ['must be https', 'Scopes can&#39;t be blank', 'http://app.example/']) expect(text).toContain(words)
})

test('an application is its owner’s alone', async () => {
  const application = await anApplication(forge, { owner_id: user.id })
  const other = await browserAs(forge, await forge.user({ password }))
  expect((await me.get(`${own}/${application.id}`)).status).toBe(200)
  expect((await other.get(`${own}/${application.id}`)).status).toBe(404)
  expect((await other.get('/admin/applications')).status).toBe(404)
})

test('users create no applications where the settings leave that to administrators', async () => {
  await writeSettings(forge.app.db, { user_oauth_applications: false })
  expect((await me.get(own)).text).toContain('Applications are created by administrators here.')
  await writeSettings(forge.app.db, { user_oauth_applications: true })
})

test('a user revokes an application, which is asked for again then', async () => {
  const application = await anApplication(forge, { name: 'Let in' })
  const { access_token } = await tokensFor(forge, user, application)
  const listed = await me.get(own)
  expect(listed.text).toContain('Let in')
  await me.submit(own, `${own}/authorized/${application.id}/revoke`)
  expect((await forge.anonymous.get('/user', { headers: { authorization: `Bearer ${access_token}` } })).status).toBe(401)
  expect((await me.get(own)).text).not.toContain('Let in')
  expect((await redeem(forge, application, (await decide(me, application)).code)).status).toBe(200)
})

test('the page says who asks for what, and where the answer goes', async () => {
  const application = await anApplication(forge, { name: hostile, redirect_uri: 'com.example.app:/callback', confidential: false })
  const proof = { code_challenge: 'x'.repeat(43), redirect_uri: 'com.example.app:/callback', scope: 'read_user openid' }
  const { text, headers } = await me.get(authorizeAddress(application, proof))
  expect(readDocument(text).faults).toEqual([])
  for (const words of ['read_user', 'openid', 'com.example.app:', user.username]) expect(text).toContain(words)
  expect(headers['content-security-policy']).toContain("form-action 'self' com.example.app:;")
})

test('who acts as another user lets nothing act for them', async () => {
  const application = await anApplication(forge)
  const root = await browserAs(forge, forge.root)
  await root.submit(`/admin/users/${user.username}`, `/admin/users/${user.username}/impersonate`)
  const { status } = await root.submit(authorizeAddress(application), '/oauth/authorize', { decision: 'allow' })
  expect(status).toBe(403)
})
