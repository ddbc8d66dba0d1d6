/** Signing in by a passkey alone: what a device signs for this service, once, having asked its user; and nothing else. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { now } from '../../../db/instants.ts'
import { offerPasskeySignIn, userByPasskey } from './passkey-sign-in.service.ts'
import { insertPasskey } from './second-factor.queries.ts'

const origin = 'https://git.example.com'
let forge: Forge

beforeAll(async () => {
  forge = await openForge({ config: { url: origin, hostname: 'git.example.com' } })
})

afterEach(async () => {
  await forge.app.db.deleteFrom('sign_in_failures').execute()
})

interface Signing {
  origin?: string
  /** Whether it has asked for a PIN or a finger. */
  isVerified?: boolean
}

/** A device in software, with a passkey of the user. */
async function deviceOf(user: TestUser) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
  const credential_id = randomBytes(16).toString('base64url')
  await forge.app.db.transaction().execute((tx) =>
    insertPasskey(tx, {
      ...{ user_id: user.id, name: 'Device', credential_id, public_key: cose.toString('base64url') },
      ...{ counter: 0, transports: '', created_at: now() },
    }),
  )
  const hash = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
  return (challenge: string, { origin: at = origin, isVerified = true }: Signing = {}) => {
    const data = Buffer.concat([hash('git.example.com'), Buffer.from([isVerified ? 5 : 1]), Buffer.alloc(4)])
    const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: at, crossOrigin: false }))
    const signature = sign('sha256', Buffer.concat([data, hash(client)]), privateKey)
    const response = {
      authenticatorData: data.toString('base64url'),
      clientDataJSON: client.toString('base64url'),
      signature: signature.toString('base64url'),
    }
    return JSON.stringify({ id: credential_id, rawId: credential_id, type: 'public-key', clientExtensionResults: {}, response })
  }
}

async function offered() {
  const offer = await offerPasskeySignIn(forge.app)
  if (!offer) throw new Error('no passkeys here')
  return { offer: offer.sealed, challenge: offer.options.challenge }
}

const refused = 'This passkey was not accepted.'

test('a passkey signs its user in once, with a session that needs no second factor', async () => {
  const user = await forge.user()
  await forge.app.db.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', user.id).execute()
  const device = await deviceOf(user)
  const me = browserOf(forge.server)
  const page = await me.get('/users/sign_in')
  const offer = /name="offer" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const { challenge } = JSON.parse((/data-request="([^"]+)"/.exec(page.text)?.[1] ?? '').replaceAll('&quot;', '"'))
  const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const fields = { form_token, offer, credential: device(challenge), return_to: '/explore' }
  const headers = { host: 'git.example.com', origin }
  const answer = await me.post('/users/sign_in/passkey', fields, headers)
  expect([answer.status, answer.location]).toEqual([303, '/explore'])
  expect(JSON.parse((await me.get('/api/v4/user')).text).id).toBe(user.id)
  await expect(userByPasskey(forge.app, fields, '192.0.2.1')).rejects.toThrow(refused)
})

test('a signature that is sent twice at once is accepted once', async () => {
  const device = await deviceOf(await forge.user())
  const { offer, challenge } = await offered()
  const sent = { offer, credential: device(challenge) }
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => userByPasskey(forge.app, sent, '192.0.2.2')))
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('another challenge, another site, a device that did not verify its user, and malformed values are refused and counted', async () => {
  const device = await deviceOf(await forge.user())
  const stranger = JSON.parse(device('x'))
  const tries = [
    async () => ({ ...(await offered()), credential: device((await offered()).challenge) }),
    async () => offered().then(({ offer, challenge }) => ({ offer, credential: device(challenge, { origin: 'https://git.example.org' }) })),
    async () => offered().then(({ offer, challenge }) => ({ offer, credential: device(challenge, { isVerified: false }) })),
    async () => offered().then(({ offer }) => ({ offer, credential: JSON.stringify({ ...stranger, id: 'nobody' }) })),
    async () => offered().then(({ offer }) => ({ offer, credential: 'null' })),
    async () => offered().then(({ offer }) => ({ offer, credential: '{"id":1}' })),
    async () => offered().then(({ challenge }) => ({ offer: 'forged', credential: device(challenge) })),
  ]
  for (const attempt of tries) await expect(userByPasskey(forge.app, await attempt(), '192.0.2.3')).rejects.toThrow(refused)
  const more = async () => userByPasskey(forge.app, { offer: '', credential: '' }, '192.0.2.3')
  for (let left = 10 - tries.length; left > 0; left--) await expect(more()).rejects.toThrow(refused)
  await expect(more()).rejects.toThrow('Too many')
})

test('a blocked user is told why, and gets no session', async () => {
  const user = await forge.user({ state: 'blocked' })
  const device = await deviceOf(user)
  const me = browserOf(forge.server)
  const page = await me.get('/users/sign_in')
  const { offer, challenge } = await offered()
  const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const fields = { form_token, offer, credential: device(challenge) }
  const answer = await me.post('/users/sign_in/passkey', fields, { host: 'git.example.com', origin })
  expect([answer.status, answer.text.includes('Your account has been blocked.')]).toEqual([403, true])
  expect((await me.get('/api/v4/user')).status).toBe(401)
})
