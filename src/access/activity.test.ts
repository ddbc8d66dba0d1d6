/** The day of a user's last activity: set by every kind of authentication, once a day, and by nothing else. */
import { beforeAll, expect, test } from 'vitest'
import { publicKey } from '../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../test/support/forge.ts'
import { tryGit } from '../../test/support/git.ts'
import { noteUse } from '../features/people/keys/keys.service.ts'
import { beginSession } from '../features/people/sessions/sessions.service.ts'
import { noteActivity } from './activity.ts'
import { findSession } from './sessions.ts'
import { findToken } from './tokens.ts'
import { signIn } from './users.ts'

let forge: Forge
let user: TestUser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user({ password: 'a long password' })
})

const today = () => new Date().toISOString().slice(0, 10)
const seen = async ({ id } = user) =>
  (await forge.app.db.selectFrom('users').select('last_activity_on').where('id', '=', id).executeTakeFirstOrThrow()).last_activity_on
const setSeen = (last_activity_on: string | null) =>
  forge.app.db.updateTable('users').set({ last_activity_on }).where('id', '=', user.id).execute()
const rowOf = (id: number) => forge.app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

async function keyOf(owner: TestUser) {
  const { body } = await forge.as(owner).post('/user/keys', { title: 'x', key: publicKey() })
  return forge.app.db.selectFrom('ssh_keys').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
}

test('a token, a password, an SSH key and a page session each set the day of last activity', async () => {
  const key = await keyOf(user)
  const secret = await beginSession(forge.app, await rowOf(user.id))
  const ways: Record<string, () => Promise<unknown>> = {
    'a token': () => findToken(forge.app.db, user.token),
    'a password for git': () => signIn(forge.app.db, user.username, 'a long password'),
    'a key': async () => noteUse(forge.app, { key, user: await rowOf(user.id) }),
    'signing in on a page': async () => beginSession(forge.app, await rowOf(user.id)),
    'a page': () => findSession(forge.app.db, secret),
  }
  for (const before of [null, '2001-02-03']) {
    for (const [way, go] of Object.entries(ways)) {
      await setSeen(before)
      await go()
      expect([way, await seen()]).toEqual([way, today()])
    }
  }
})

test('git over HTTP is noted, by password too', async () => {
  const project = await forge.project({ developer: user })
  for (const secret of [user.token, 'a%20long%20password']) {
    await setSeen('2001-02-03')
    const remote = await forge.remote(project, { ...user, token: secret })
    expect((await tryGit(await forge.folder(), 'ls-remote', remote)).code).toBe(0)
    expect(await seen()).toBe(today())
  }
})

test('a wrong password, a deploy key and a token of a blocked user do not count as activity', async () => {
  const key = await keyOf(user)
  await setSeen('2001-02-03')
  expect(await signIn(forge.app.db, user.username, 'another password')).toBeNull()
  await noteUse(forge.app, { key: { ...key, kind: 'deploy' }, user: await rowOf(user.id) })
  expect(await seen()).toBe('2001-02-03')
  const blocked = await forge.user({ state: 'blocked' })
  await findToken(forge.app.db, blocked.token)
  expect(await seen(blocked)).toBeNull()
})

test('it is written once a day, and never set back', async () => {
  await setSeen(null)
  const stale = await rowOf(user.id)
  expect((await forge.cost(() => noteActivity(forge.app.db, stale))).statements).toBe(1)
  expect((await forge.cost(async () => noteActivity(forge.app.db, { ...stale, last_activity_on: today() }))).statements).toBe(0)
  await setSeen('2999-01-01')
  await noteActivity(forge.app.db, stale)
  await noteActivity(forge.app.db, await rowOf(user.id))
  expect(await seen()).toBe('2999-01-01')
})
