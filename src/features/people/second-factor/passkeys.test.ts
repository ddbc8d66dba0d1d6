/** Passkeys at sign-in, signed by a key that this test holds: what counts, and what is refused. Chromium makes them in `test/browser`. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { addPasskey, finishSignIn, offerPasskey, openSignIn, pendingSignIn, secondFactorOf, takesPasskeys } from './second-factor.ts'

const password = 'correct horse battery'
const address = '192.0.2.1'

interface Device {
  user: TestUser
  id: string
  key: KeyObject
}

let devices = 0

/** A user with a passkey, and the key of it. */
async function device({ app, ...forge }: Forge): Promise<Device> {
  const user = await forge.user({ password })
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  // COSE: a map of key type, algorithm (ES256), curve and both coordinates.
  const head = Buffer.from('a5010203262001215820', 'hex')
  const cose = Buffer.concat([head, bytes(x), Buffer.from('225820', 'hex'), bytes(y)])
  const id = Buffer.from(`passkey ${++devices} of this test`).toString('base64url')
  const row = { user_id: user.id, name: 'Key', credential_id: id, public_key: cose.toString('base64url'), counter: 5 }
  await app.db
    .insertInto('passkeys')
    .values({ ...row, created_at: new Date().toISOString() })
    .execute()
  await app.db.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', user.id).execute()
  return { user, id, key: privateKey }
}

interface Signed {
  challenge: string
  counter?: number
  origin?: string
  rp?: string
  type?: string
  /** Whether somebody touched the device. */
  isTouched?: boolean
}

/** Signs a challenge in the form in which browsers send it. */
function signedBy({ id, key }: Pick<Device, 'id' | 'key'>, signed: Signed): string {
  const { challenge, counter = 6, origin = 'http://gitstead.test', rp = 'gitstead.test', type = 'webauthn.get', isTouched = true } = signed
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  const authenticatorData = Buffer.concat([createHash('sha256').update(rp).digest(), Buffer.from([isTouched ? 1 : 0]), count])
  const clientDataJSON = Buffer.from(JSON.stringify({ type, challenge, origin }))
  const signature = sign('sha256', Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]), key)
  const texts = Object.entries({ authenticatorData, clientDataJSON, signature }).map(([name, bytes]) => [name, bytes.toString('base64url')])
  return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: Object.fromEntries(texts) })
}

async function opened({ app }: Forge, { user }: Device): Promise<{ secret: string; challenge: string }> {
  const secret = await openSignIn(app, user, { return_to: '/', isRemembered: false })
  return { secret, challenge: (await pendingSignIn(app, secret))?.challenge ?? '' }
}

const finish = ({ app }: Forge, secret: string, credential: string) =>
  finishSignIn(app, secret, { code: '', credential }, { address, agent: undefined })

const counterOf = async ({ app }: Forge, { id }: Device) =>
  (await app.db.selectFrom('passkeys').select('counter').where('credential_id', '=', id).executeTakeFirstOrThrow()).counter

test('a signature of a passkey finishes its sign-in once', async () => {
  const forge = await testForge()
  const mine = await device(forge)
  const { secret, challenge } = await opened(forge, mine)
  const credential = signedBy(mine, { challenge })
  const both = await Promise.allSettled([finish(forge, secret, credential), finish(forge, secret, credential)])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await counterOf(forge, mine)).toBe(6)
  const next = await opened(forge, mine)
  expect(next.challenge).not.toBe(challenge)
  await expect(finish(forge, next.secret, credential)).rejects.toThrow('This passkey was not accepted.')
})

test('a passkey whose counter goes back is refused as a copy; one without a counter is accepted', async () => {
  const forge = await testForge()
  const mine = await device(forge)
  const { secret, challenge } = await opened(forge, mine)
  for (const counter of [0, 4, 5])
    await expect(finish(forge, secret, signedBy(mine, { challenge, counter }))).rejects.toThrow('This passkey was not accepted.')
  await forge.app.db.updateTable('passkeys').set({ counter: 0 }).where('credential_id', '=', mine.id).execute()
  expect((await finish(forge, secret, signedBy(mine, { challenge, counter: 0 }))).return_to).toBe('/')
})

test('signatures for another site or service, by another key, or without a present user, and malformed ones are refused', async () => {
  const forge = await testForge()
  const [mine, other] = [await device(forge), await device(forge)]
  const { secret, challenge } = await opened(forge, mine)
  const wrong = [
    signedBy(mine, { challenge, origin: 'https://gitstead.test' }),
    signedBy(mine, { challenge, origin: 'http://gitstead.test.evil.example' }),
    signedBy(mine, { challenge, rp: 'evil.example' }),
    signedBy(mine, { challenge, type: 'webauthn.create' }),
    signedBy(mine, { challenge, isTouched: false }),
    signedBy(mine, { challenge: (await opened(forge, other)).challenge }),
    signedBy({ ...mine, key: other.key }, { challenge }),
    signedBy(other, { challenge }),
    ...['null', '{}', '[]', 'x', '{"id":null}', `{"id":"${mine.id}"}`, `{"id":"${mine.id}","response":{}}`, 'x'.repeat(100_000)],
  ]
  for (const credential of wrong) await expect(finish(forge, secret, credential)).rejects.toThrow('This passkey was not accepted.')
  expect(await counterOf(forge, mine)).toBe(5)
  expect((await finish(forge, secret, signedBy(mine, { challenge }))).return_to).toBe('/')
})

test('a registration that no authenticator made is refused, and one that was offered to somebody else', async () => {
  const forge = await testForge()
  const { app } = forge
  const [user, other] = [await forge.user(), await forge.user()]
  const named = { ...user, name: 'Ada' }
  const { options, sealed } = await offerPasskey(app, named)
  expect([options.rp.id, options.user.name, options.attestation]).toEqual(['gitstead.test', user.username, 'none'])
  const sent = { offer: sealed, name: 'Key', credential: '{}' }
  for (const credential of ['', 'null', '{}', 'x', '{"id":"a","rawId":"a","type":"public-key","response":{}}'])
    await expect(addPasskey(app, user, { ...sent, credential })).rejects.toThrow('This passkey was not accepted.')
  for (const offer of ['', 'x', (await offerPasskey(app, { ...named, id: other.id })).sealed])
    await expect(addPasskey(app, user, { ...sent, offer })).rejects.toThrow('This passkey was not accepted.')
  for (const name of ['', ' ', 'x'.repeat(101)])
    await expect(addPasskey(app, user, { ...sent, name })).rejects.toMatchObject({ code: 'invalid' })
  expect((await secondFactorOf(app, user.id)).passkeys).toEqual([])
})

test('passkeys are offered where browsers support them: for host names, over HTTPS or on this machine', async () => {
  const { config } = (await testForge()).app
  const taken = (url: string) => takesPasskeys({ ...config, url })
  for (const url of ['https://git.example.com', 'https://git.example.com:8443/', 'http://localhost:3000', 'http://git.localhost'])
    expect([url, taken(url)]).toEqual([url, true])
  for (const url of ['http://git.example.com', 'https://192.0.2.1', 'https://[2001:db8::1]', 'http://127.0.0.1:3000'])
    expect([url, taken(url)]).toEqual([url, false])
})
