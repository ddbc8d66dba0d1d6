/** The page of the access tokens of a project: shown once, listed, rotated and revoked, by those who manage the project. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&\u202e`
let forge: Forge
let maintainer: TestUser
let developer: TestUser
let project: TestProject
let base: string

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user({ password })
  developer = await forge.user({ password })
  project = await forge.project({ maintainer, developer, files: null })
  base = `/${project.full_path}/settings/access_tokens`
})

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return me
}

const shownIn = (text: string) => /<code aria-label="Token[^>]*>([^<]+)<\/code>/.exec(text)?.[1]
const works = async (token: string) => (await forge.as(maintainer, { token }).get(`/projects/${project.id}`)).status

test('a token is shown once, works, is rotated, and revoked', async () => {
  const me = await signedIn(maintainer)
  expect((await me.get(base)).text).toContain('There are no tokens yet')
  const made = await me.submit(base, base, { name: hostile, access_level: '20', scope_api: 'true', expires_at: '2999-01-01' })
  expect([made.status, readDocument(made.text).faults, made.headers['cache-control']]).toEqual([201, [], 'no-store'])
  const first = shownIn(made.text) ?? ''
  expect(await works(first)).toBe(200)
  const listed = await me.get(base)
  expect([listed.text.includes(first), readDocument(listed.text).faults, listed.text.includes('<b>"')]).toEqual([false, [], false])
  const rotation = new RegExp(`action="(${base}/\\d+/rotate)"`).exec(listed.text)?.[1] ?? ''
  const rotated = await me.submit(base, rotation)
  const second = shownIn(rotated.text) ?? ''
  expect([await works(first), await works(second)]).toEqual([401, 200])
  const revocation = new RegExp(`action="(${base}/\\d+/revoke)"`).exec((await me.get(base)).text)?.[1] ?? ''
  expect((await me.submit(base, revocation)).status).toBe(303)
  expect(await works(second)).toBe(401)
  expect((await me.get(base)).text).toContain(' revoked</p>')
})

test('an error is shown beside its field, and typed values are kept', async () => {
  const me = await signedIn(maintainer)
  const { status, text } = await me.submit(base, base, { name: ' ', description: 'kept <i>', access_level: '20' })
  expect([status, readDocument(text).faults]).toEqual([422, []])
  for (const words of ['Name can&#39;t be blank', 'Scopes can&#39;t be blank', 'value="kept &lt;i&gt;"']) expect(text).toContain(words)
  const above = await me.submit(base, base, { name: 'x', access_level: '50', scope_api: 'true' })
  expect(above.text).toContain('is not included in the list')
})

test('others are refused', async () => {
  const me = await signedIn(developer)
  expect((await me.get(base)).status).toBe(403)
  const form_token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  expect((await me.post(base, { form_token, name: 'x', scope_api: 'true' })).status).toBe(403)
})

test('many tokens cost as many statements as few', async () => {
  const me = await signedIn(maintainer)
  await forge.as(maintainer).post(`/projects/${project.id}/access_tokens`, { name: 'first', scopes: ['api'] })
  await me.get(base)
  const few = await forge.cost(() => me.get(base))
  for (let index = 0; index < 5; index += 1) {
    await forge.as(maintainer).post(`/projects/${project.id}/access_tokens`, { name: `t ${index}`, scopes: ['api'] })
  }
  expect(await forge.cost(() => me.get(base))).toEqual(few)
})
