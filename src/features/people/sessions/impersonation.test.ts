/** Impersonation and the list of sessions, without pages. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { digestOfSession, findSession } from '../../../access/sessions.ts'
import {
  activeSessions,
  beginSession,
  browserOf,
  impersonationError,
  revokeSession,
  startImpersonation,
  stopImpersonation,
} from './sessions.ts'

const password = 'correct horse battery'

test('the session before an impersonation and the impersonation itself have ended when the next one begins', async () => {
  const forge = await testForge()
  const { app } = forge
  const [admin, user] = [await forge.user({ password, admin: true }), await forge.user()]
  const own = await beginSession(app, admin, { address: '192.0.2.1', agent: undefined })
  const acting = await startImpersonation(app, admin, user, digestOfSession(own))
  expect(await findSession(app.db, own)).toBeNull()
  expect(await findSession(app.db, acting)).toMatchObject({ user: { id: user.id }, impersonator: admin.username })
  expect(await activeSessions(app.db, user.id, null)).toEqual([])
  const back = await stopImpersonation(app, user, digestOfSession(acting))
  expect(await findSession(app.db, acting)).toBeNull()
  expect(await findSession(app.db, back)).toMatchObject({ user: { id: admin.id }, impersonator: null })
  expect((await activeSessions(app.db, admin.id, digestOfSession(back))).map(({ address, isCurrent }) => [address, isCurrent])).toEqual([
    ['192.0.2.1', true],
  ])
})

test('one of two impersonations that begin at once with one session is refused', async () => {
  const forge = await testForge()
  const [admin, user] = [await forge.user({ password, admin: true }), await forge.user()]
  const digest = digestOfSession(await beginSession(forge.app, admin))
  const attempts = await Promise.allSettled([1, 2].map(() => startImpersonation(forge.app, admin, user, digest)))
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('nobody can impersonate a user who cannot sign in', async () => {
  const forge = await testForge()
  const [admin, blocked] = [await forge.user({ admin: true }), await forge.user({ state: 'blocked' })]
  const expired = { ...(await forge.user()), password_expires_at: '2001-01-01T00:00:00.000Z' }
  expect(impersonationError(admin, admin)).toContain('already')
  expect(impersonationError(admin, { ...blocked, state: 'blocked' })).toContain('blocked')
  expect(impersonationError(admin, expired)).toContain('expired')
  expect(impersonationError(admin, { ...blocked, kind: 'ghost' })).toContain('Nobody')
  expect(impersonationError(admin, await forge.user())).toBeNull()
})

test('a session of somebody else is not found by its key', async () => {
  const forge = await testForge()
  const [user, other] = [await forge.user({ password }), await forge.user({ password })]
  await beginSession(forge.app, user)
  const [session] = await activeSessions(forge.app.db, user.id, null)
  await expect(revokeSession(forge.app.db, other.id, session?.key ?? '')).rejects.toThrow('404')
  await revokeSession(forge.app.db, user.id, session?.key ?? '')
  expect(await activeSessions(forge.app.db, user.id, null)).toEqual([])
})

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['curl/8.0', 'curl'],
  ['<script>', null],
  [`${'x'.repeat(5_000)} Firefox/1`, null],
  [undefined, null],
])('%s is known as %s', (agent, name) => {
  expect(browserOf(agent)).toBe(name)
})
