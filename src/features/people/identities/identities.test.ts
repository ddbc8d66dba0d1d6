/** Identities of users at providers: set, found and removed by administrators, seen by them and by the user. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { setBlocks, userOfIdentity } from './identities.ts'

test('an administrator removes an identity, and nothing else of the user', async () => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const user = await forge.user({ provider: 'corp', extern_uid: 'Ada' })
  await root.put(`/users/${user.id}`, { provider: 'other', extern_uid: '1' })
  expect((await root.get(`/users/${user.id}`)).body.identities).toEqual([
    { provider: 'corp', extern_uid: 'Ada' },
    { provider: 'other', extern_uid: '1' },
  ])
  const removed = await root.delete(`/users/${user.id}/identities/corp`)
  expect([removed.status, removed.text]).toEqual([204, ''])
  expect((await forge.as(user).get('/user')).body.identities).toEqual([{ provider: 'other', extern_uid: '1' }])
})

test('an identity that the user doesn’t have is not found, nor may others remove one', async () => {
  const forge = await testForge()
  const user = await forge.user({ provider: 'corp', extern_uid: 'here' })
  const missing = await forge.as(forge.root).delete(`/users/${user.id}/identities/github`)
  expect([missing.status, missing.body]).toEqual([404, { message: '404 Identity Not Found' }])
  expect((await forge.as(user).delete(`/users/${user.id}/identities/corp`)).status).toBe(403)
  expect((await forge.as(forge.root).delete('/users/0/identities/corp')).body).toEqual({ message: '404 User Not Found' })
})

test('the names of a provider are told apart letter by letter, those of a directory as such names are', async () => {
  const { app, ...forge } = await testForge()
  const user = await forge.user({ provider: 'corp', extern_uid: 'Bob' })
  const found = (provider: string, extern_uid: string) => userOfIdentity(app.db, { provider, extern_uid })
  expect([await found('corp', 'Bob'), await found('corp', 'bob')]).toEqual([user.id, null])
  const inDirectory = await forge.user({ provider: 'ldapmain', extern_uid: 'UID=Bob, OU=People,DC=example,DC=com' })
  expect(await found('ldapmain', 'uid=bob,ou=people,dc=example,dc=com')).toBe(inDirectory.id)
})

test('administrators can’t block or unblock a user whom the directory has blocked, until the identity is removed', async () => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const identity = { provider: 'ldapmain', extern_uid: 'uid=gone' }
  const user = await forge.user({ ...identity, state: 'blocked' })
  await setBlocks(forge.app.db, identity, true)
  for (const act of ['block', 'unblock']) expect((await root.post(`/users/${user.id}/${act}`)).status).toBe(403)
  expect((await root.get(`/users/${user.id}`)).body.state).toBe('blocked')
  await root.delete(`/users/${user.id}/identities/ldapmain`)
  expect((await root.post(`/users/${user.id}/unblock`)).body).toBe(true)
})
