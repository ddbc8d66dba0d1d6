/** The pages of service accounts: one form for projects, groups and the instance. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&</b>`

let forge: Forge
let owner: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password, admin: true })
  me = await signedIn(owner)
})

async function signedIn(user: TestUser): Promise<Browser> {
  const browser = browserOf(forge.server)
  expect((await browser.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return browser
}

const places: Array<[kind: string, make: () => Promise<string>]> = [
  ['a project', async () => `/${(await forge.project({ owner })).full_path}/settings/service_accounts`],
  ['a group', async () => `/groups/${(await forge.group({ owner })).full_path}/-/settings/service_accounts`],
  ['the instance', async () => '/admin/service_accounts'],
]

const tokenShownIn = (text: string) => /<code aria-label="Token">([^<]+)<\/code>/.exec(text)?.[1] ?? ''
const holderOf = async (token: string) => {
  const { status, body } = await forge.as(owner, { token }).get('/user')
  return status === 200 ? body.username : status
}

test.each(places)('%s has a service account created, given tokens, renamed and deleted by hand', async (_, make) => {
  const list = await make()
  expect((await me.get(list)).text).toContain('There are no service accounts yet.')
  const created = await me.submit(list, list, { name: hostile, username: '' })
  const one = created.location ?? ''
  expect([created.status, one]).toEqual([303, expect.stringMatching(new RegExp(`^${list}/\\d+$`))])
  const listed = await me.get(list)
  expect([listed.text.includes(`href="${one}"`), readDocument(listed.text).faults, listed.text.includes('<b>"')]).toEqual([true, [], false])

  const made = await me.submit(one, `${one}/tokens`, { name: hostile, scope_api: 'true' })
  const first = tokenShownIn(made.text)
  expect([made.status, readDocument(made.text).faults, await holderOf(first)]).toEqual([
    201,
    [],
    expect.stringMatching(/^service_account_/),
  ])
  expect(made.text).not.toContain('Scope sudo')
  const withToken = await me.get(one)
  expect([withToken.text.includes(first), readDocument(withToken.text).faults]).toEqual([false, []])
  // The token acts for the account, not for the reader.
  expect([withToken.text.includes('Everything the account may do'), /\byou\b/.test(withToken.text)]).toEqual([true, false])
  const rotation = /action="([^"]+\/rotate)"/.exec(withToken.text)?.[1] ?? ''
  const second = tokenShownIn((await me.submit(one, rotation, { expires_at: '' })).text)
  const username = `renamed-${one.split('/').at(-1)}`
  expect((await me.submit(one, one, { name: 'Deploys', username })).status).toBe(303)
  expect([await holderOf(first), await holderOf(second)]).toEqual([401, username])
  const revocation = /action="([^"]+\/revoke)"/.exec((await me.get(one)).text)?.[1] ?? ''
  expect((await me.submit(one, revocation)).status).toBe(303)
  expect(await holderOf(second)).toBe(401)

  expect((await me.submit(one, `${one}/delete`)).location).toBe(list)
  expect([(await me.get(one)).status, (await me.get(list)).text.includes(`href="${one}"`)]).toEqual([404, false])
})

test('a refusal is shown beside its field, and what was typed is kept', async () => {
  const group = await forge.group({ owner })
  const list = `/groups/${group.full_path}/-/settings/service_accounts`
  const taken = await me.submit(list, list, { name: 'kept <i>', username: owner.username })
  expect([taken.status, readDocument(taken.text).faults]).toEqual([409, []])
  for (const words of ['Username has already been taken', 'value="kept &lt;i&gt;"']) expect(taken.text).toContain(words)
  const wrong = await me.submit(list, list, { name: 'a', username: '../up' })
  expect([wrong.status, wrong.text.includes('id="username-error"')]).toEqual([422, true])
  const one = (await me.submit(list, list, { name: 'Machine' })).location ?? ''
  const without = await me.submit(one, `${one}/tokens`, { name: ' ' })
  expect([without.status, readDocument(without.text).faults]).toEqual([422, []])
  for (const words of ['Name can&#39;t be blank', 'can&#39;t be blank']) expect(without.text).toContain(words)
})

test('accounts of another place are not found, and who doesn’t manage the place sees none', async () => {
  const [group, other] = [await forge.group({ owner }), await forge.group({ owner })]
  const at = ({ full_path }: { full_path: string }) => `/groups/${full_path}/-/settings/service_accounts`
  const id = (await me.submit(at(group), at(group), { name: 'Machine' })).location?.split('/').at(-1) ?? ''
  const elsewhere = [`${at(other)}/${id}`, `/admin/service_accounts/${id}`, `${at(group)}/${owner.id}`]
  for (const address of elsewhere) expect([address, (await me.get(address)).status]).toEqual([address, 404])
  const maintainer = await forge.user({ password })
  await forge.as(owner).post(`/groups/${group.id}/members`, { user_id: maintainer.id, access_level: 40 })
  const them = await signedIn(maintainer)
  expect([(await them.get(at(group))).status, (await them.get(at(other))).status]).toEqual([403, 404])
  const form_token = /name="form_token" value="([^"]+)"/.exec((await them.get('/')).text)?.[1] ?? ''
  expect((await them.post(`${at(group)}/${id}/delete`, { form_token })).status).toBe(403)
  expect((await me.get(`${at(group)}/${id}`)).status).toBe(200)
})

test('who has signed in long ago shows their password before an account or a token is created', async () => {
  const late = await forge.user({ password })
  const group = await forge.group({ owner: late })
  const list = `/groups/${group.full_path}/-/settings/service_accounts`
  const them = await signedIn(late)
  await forge.app.db.updateTable('sessions').set({ created_at: '2020-01-01T00:00:00.000Z' }).where('user_id', '=', late.id).execute()
  const refused = await them.submit(list, list, { name: 'Machine', proof: 'wrong' })
  expect([refused.status, refused.text.includes('id="proof-error"')]).toEqual([422, true])
  const one = (await them.submit(list, list, { name: 'Machine', proof: password })).location ?? ''
  expect((await them.submit(one, `${one}/tokens`, { name: 'ci', scope_api: 'true' })).status).toBe(422)
  expect((await them.submit(one, `${one}/tokens`, { name: 'ci', scope_api: 'true', proof: password })).status).toBe(201)
})
