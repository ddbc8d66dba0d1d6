/** Devices without a browser: they ask until their user has decided. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { anApplication, browserAs, postForm, type TestApplication } from '../../../../test/support/oauth.ts'
import { digestOf } from '../../../access/tokens.ts'

let forge: Forge
let user: TestUser
let television: TestApplication
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user({ password: 'correct horse battery' })
  television = await anApplication(forge, { name: 'Television', confidential: false })
  me = await browserAs(forge, user)
})

const start = async () => (await postForm(forge, '/oauth/authorize_device', { client_id: television.client_id, scope: 'read_user' })).body

/** As a client that has waited. */
async function poll(device_code: string, client_id = television.client_id) {
  await forge.app.db.updateTable('oauth_device_codes').set({ polled_at: null }).where('digest', '=', digestOf(device_code)).execute()
  return pollAtOnce(device_code, client_id)
}

function pollAtOnce(device_code: string, client_id = television.client_id) {
  return postForm(forge, '/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id, device_code })
}

const decideOn = (user_code: string, decision: 'allow' | 'deny') => me.post('/oauth/device/decision', { user_code, decision })

async function tokenOfForm(): Promise<string> {
  return /name="form_token" value="([^"]+)"/.exec((await me.get('/oauth/device')).text)?.[1] ?? ''
}

test('a device gets its tokens once, after its user has typed its code and seen who asks for what', async () => {
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = await start()
  expect([verification_uri, expires_in, interval]).toEqual([`${forge.app.config.url}/oauth/device`, 600, 5])
  expect(verification_uri_complete).toBe(`${verification_uri}?user_code=${user_code}`)
  expect((await poll(device_code)).body.error).toBe('authorization_pending')

  const asked = await me.submit('/oauth/device', '/oauth/device', { user_code: user_code.toLowerCase().replace('-', ' ') })
  expect(asked.text).toContain('Television')
  expect(asked.text).toContain('read_user')
  const form_token = /action="\/oauth\/device\/decision">.*?name="form_token" value="([^"]+)"/s.exec(asked.text)?.[1] ?? ''
  const decided = await me.post('/oauth/device/decision', { form_token, user_code, decision: 'allow' })
  expect(decided.status).toBe(303)

  const { status, body } = await poll(device_code)
  expect([status, body.scope]).toEqual([200, 'read_user'])
  const headers = { authorization: `Bearer ${body.access_token}` }
  expect((await forge.anonymous.get('/user', { headers })).body.id).toBe(user.id)
  expect((await poll(device_code)).body.error).toBe('invalid_grant')
})

test('a device that asks too often is told to slow down', async () => {
  const { device_code } = await start()
  await pollAtOnce(device_code)
  expect((await pollAtOnce(device_code)).body.error).toBe('slow_down')
})

test('a device that is denied, late or another’s gets nothing', async () => {
  const denied = await start()
  const form_token = await tokenOfForm()
  await me.post('/oauth/device/decision', { form_token, user_code: denied.user_code, decision: 'deny' })
  expect((await poll(denied.device_code)).body.error).toBe('access_denied')

  const late = await start()
  const past = { expires_at: new Date(0).toISOString() }
  await forge.app.db.updateTable('oauth_device_codes').set(past).where('digest', '=', digestOf(late.device_code)).execute()
  expect((await poll(late.device_code)).body.error).toBe('expired_token')
  expect((await me.post('/oauth/device/decision', { form_token, user_code: late.user_code, decision: 'allow' })).status).toBe(422)

  const other = await anApplication(forge, { confidential: false })
  expect((await poll((await start()).device_code, other.client_id)).body.error).toBe('invalid_grant')
})

test('a form of another site lets no device in', async () => {
  const { device_code, user_code } = await start()
  expect((await decideOn(user_code, 'allow')).status).toBe(403)
  expect((await poll(device_code)).body.error).toBe('authorization_pending')
})
