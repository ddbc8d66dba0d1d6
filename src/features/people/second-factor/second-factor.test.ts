/** Second factors without pages: what works once, what is counted, and what is stored. */
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { digestOfSession, findSession } from '../../../access/sessions.ts'
import { signIn } from '../../../access/users.ts'
import { beginSession } from '../sessions/sessions.ts'
import {
  finishSignIn,
  offerTotp,
  openSignIn,
  pendingSignIn,
  renewRecoveryCodes,
  secondFactorOf,
  setUpTotp,
  showsFactor,
  turnOffByName,
  turnOffSecondFactor,
} from './second-factor.ts'

const password = 'correct horse battery'
const at_ms = Date.now()
const address = '192.0.2.1'

interface Armed {
  user: TestUser
  codes: string[]
  /** The code that the app shows so many steps from now. */
  codeOf: (steps: number) => string
}

async function armed({ app, ...forge }: Forge): Promise<Armed> {
  const user = await forge.user({ password })
  const { secret, sealed } = offerTotp(app, user)
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const codeOf = (steps: number) => totp.generate({ timestamp: at_ms + steps * 30_000 })
  const codes = await setUpTotp(app, user, { offer: sealed, code: codeOf(-1) }, at_ms)
  return { user, codes: codes ?? [], codeOf }
}

test('an app is set up by a code that it shows, and by no other; what another user was offered is refused', async () => {
  const forge = await testForge()
  const { app } = forge
  const [user, other] = [await forge.user({ password }), await forge.user({ password })]
  const { secret, sealed } = offerTotp(app, user)
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at_ms })
  await expect(setUpTotp(app, user, { offer: sealed, code: '000000' }, 0)).rejects.toMatchObject({ code: 'invalid' })
  await expect(setUpTotp(app, other, { offer: sealed, code }, at_ms)).rejects.toThrow('This form has expired.')
  for (const offer of ['', 'v1.x', secret, sealed.slice(0, -4), `${sealed}AAAA`])
    await expect(setUpTotp(app, user, { offer, code }, at_ms)).rejects.toMatchObject({ code: 'invalid' })
  expect(await secondFactorOf(app, user.id)).toMatchObject({ totp_since: null, recovery_codes: 0 })
  expect(offerTotp(app, user, sealed)).toEqual({ secret, sealed })
  expect(await setUpTotp(app, user, { offer: sealed, code }, at_ms)).toHaveLength(10)
})

test('neither secret nor codes can be read in the database', async () => {
  const forge = await testForge()
  const { db } = forge.app
  const { user, codes, codeOf } = await armed(forge)
  const rows = [
    await db.selectFrom('totp_factors').selectAll().where('user_id', '=', user.id).execute(),
    await db.selectFrom('recovery_codes').selectAll().where('user_id', '=', user.id).execute(),
  ]
  for (const code of [...codes, ...codes.map((one) => one.replaceAll('-', '')), codeOf(0)]) expect(JSON.stringify(rows)).not.toContain(code)
})

test('one of ten concurrent requests with the same code succeeds; later ones and those with an earlier code fail', async () => {
  const forge = await testForge()
  const { app } = forge
  const { user, codes, codeOf } = await armed(forge)
  const race = async (code: string) =>
    (await Promise.all(Array.from({ length: 5 }, () => showsFactor(app, { user, code, address, at_ms })))).filter(Boolean).length
  expect(await showsFactor(app, { user, code: codeOf(-1), address, at_ms })).toBe(false)
  expect([await race(codeOf(1)), await showsFactor(app, { user, code: codeOf(0), address, at_ms })]).toEqual([1, false])
  await app.db.deleteFrom('sign_in_failures').execute()
  expect(await race(codes[3] as string)).toBe(1)
  expect((await secondFactorOf(app, user.id)).recovery_codes).toBe(9)
})

test('after ten wrong codes even the right one is refused, while other users are not affected', async () => {
  const forge = await testForge()
  const { app } = forge
  const [one, other] = [await armed(forge), await armed(forge)]
  for (let guess = 0; guess < 10; guess += 1)
    expect(await showsFactor(app, { user: one.user, code: 'wrong', address: `192.0.2.${guess % 5}`, at_ms })).toBe(false)
  const right = { user: one.user, code: one.codeOf(0), address: '198.51.100.7', at_ms }
  await expect(showsFactor(app, right)).rejects.toMatchObject({ code: 'too_many' })
  expect(await showsFactor(app, { ...right, user: other.user, code: other.codeOf(0) })).toBe(true)
  // Wrong passwords have a counter of their own, so the second factor's limit doesn't stop a password.
  expect(await signIn(app.db, one.user.username, one.user.token, {})).not.toBeNull()
})

test('new recovery codes replace the old ones, and without a second factor there are none', async () => {
  const forge = await testForge()
  const { app } = forge
  const { user, codes } = await armed(forge)
  const fresh = await renewRecoveryCodes(app, user.id)
  expect(await showsFactor(app, { user, code: codes[0] as string, address, at_ms })).toBe(false)
  expect(await showsFactor(app, { user, code: fresh[0] as string, address, at_ms })).toBe(true)
  expect([await turnOffSecondFactor(app, user.id), await turnOffSecondFactor(app, user.id)]).toEqual([true, false])
  expect(await secondFactorOf(app, user.id)).toEqual({ totp_since: null, passkeys: [], recovery_codes: 0 })
  expect(await showsFactor(app, { user, code: fresh[1] as string, address, at_ms })).toBe(false)
  await expect(renewRecoveryCodes(app, user.id)).rejects.toThrow('404')
})

test('the administrator of the machine can remove the second factor of any user, and is told if there is none', async () => {
  const forge = await testForge()
  const { user } = await armed(forge)
  expect(await turnOffByName(forge.app, user.username)).toBe(`The second factor of ${user.username} is off.`)
  expect(await turnOffByName(forge.app, user.username)).toBe(`${user.username} has no second factor.`)
  await expect(turnOffByName(forge.app, 'nobody-here')).rejects.toThrow('404 User Not Found')
})

test('no session begins without the second factor', async () => {
  const forge = await testForge()
  const { user } = await armed(forge)
  await expect(beginSession(forge.app, user)).rejects.toThrow('Your account has changed meanwhile. Sign in again.')
})

test('a sign-in that waits for the factor is finished once, and ends with the password, a block or the factor', async () => {
  const forge = await testForge()
  const { app } = forge
  const { user, codes } = await armed(forge)
  const open = () => openSignIn(app, user, { return_to: '/x', isRemembered: true })
  const finish = (secret: string, index: number) =>
    finishSignIn(app, secret, { code: codes[index] as string, credential: '' }, { address, agent: undefined })
  const twice = await open()
  const both = await Promise.allSettled([finish(twice, 0), finish(twice, 1)])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await pendingSignIn(app, twice)).toBeNull()

  const waiting = await open()
  await app.db.updateTable('pending_sign_ins').set({ expires_at: '2001-01-01T00:00:00.000Z' }).where('user_id', '=', user.id).execute()
  await expect(finish(waiting, 2)).rejects.toThrow('Your sign-in has ended. Sign in again.')
  for (const end of [
    () => forge.as(forge.root).put(`/users/${user.id}`, { password: 'another one of theirs' }),
    () => forge.as(forge.root).post(`/users/${user.id}/block`),
    () =>
      forge
        .as(forge.root)
        .post(`/users/${user.id}/unblock`)
        .then(() => turnOffSecondFactor(app, user.id)),
  ]) {
    const ended = await open()
    await end()
    await expect(finish(ended, 3)).rejects.toThrow('Your sign-in has ended. Sign in again.')
  }
})

test('the first factor ends all sessions but the one in which it was set up, and a promotion ends all', async () => {
  const forge = await testForge()
  const { app } = forge
  const user = await forge.user({ password })
  const [here, there] = [await beginSession(app, user), await beginSession(app, user)]
  const { secret, sealed } = offerTotp(app, user)
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at_ms })
  await setUpTotp(app, user, { offer: sealed, code, session: digestOfSession(here) }, at_ms)
  expect([(await findSession(app.db, here))?.user.id, await findSession(app.db, there)]).toEqual([user.id, null])
  await forge.as(forge.root).put(`/users/${user.id}`, { admin: true })
  expect(await findSession(app.db, here)).toBeNull()
})

test('an administrator removes it through the API, but not that of another administrator', async () => {
  const forge = await testForge()
  const { user } = await armed(forge)
  const { user: other } = await armed(forge)
  const take = (client: Forge['anonymous'], id: number) => client.request('PATCH', `/users/${id}/disable_two_factor`)
  await forge.as(forge.root).put(`/users/${other.id}`, { admin: true })
  expect((await take(forge.as(await forge.user()), user.id)).status).toBe(403)
  const ends = [await take(forge.as(forge.root), user.id), await take(forge.as(forge.root), user.id)]
  expect(ends.map(({ status }) => status)).toEqual([204, 400])
  expect((await take(forge.as(forge.root), other.id)).status).toBe(403)
  expect((await take(forge.as(forge.root), 9_999_999)).status).toBe(404)
  const enabled = (await forge.as(forge.root).get('/users?two_factor=enabled')).body.map(({ id }: { id: number }) => id)
  expect([enabled.includes(user.id), enabled.includes(other.id)]).toEqual([false, true])
})
