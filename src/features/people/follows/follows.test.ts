/** Following users: who is on which list, and what is refused. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

const named = async (user: TestUser, list: string, by: TestUser = user) => {
  const { body } = await forge.as(by).get(`/users/${user.id}/${list}`)
  return body.map(({ username }: { username: string }) => username)
}

test('who follows somebody is on their list, once, until they unfollow', async () => {
  const [ada, bob] = [await forge.user(), await forge.user()]
  const as = forge.as(ada)
  const followed = await as.post(`/users/${bob.id}/follow`)
  expect([followed.status, followed.body]).toMatchObject([201, { id: bob.id, username: bob.username, state: 'active' }])
  expect((await as.post(`/users/${bob.id}/follow`)).status).toBe(304)
  expect([await named(bob, 'followers'), await named(ada, 'following')]).toEqual([[ada.username], [bob.username]])
  expect([await named(ada, 'followers'), await named(bob, 'following')]).toEqual([[], []])
  expect((await as.post(`/users/${bob.id}/unfollow`)).status).toBe(201)
  expect((await as.post(`/users/${bob.id}/unfollow`)).status).toBe(304)
  expect(await named(bob, 'followers')).toEqual([])
})

test('of requests at once one follows; nobody follows themselves, a bot or somebody who is not active', async () => {
  const [ada, bob, banned] = [await forge.user(), await forge.user(), await forge.user({ state: 'banned' })]
  const as = forge.as(ada)
  const answers = await Promise.all([1, 2, 3].map(() => as.post(`/users/${bob.id}/follow`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 304, 304])
  const project = await forge.project({ maintainer: ada })
  const { body } = await as.post(`/projects/${project.id}/access_tokens`, { name: 'machine', scopes: ['api'] })
  const at = async (id: number | string) => (await as.post(`/users/${id}/follow`)).status
  expect([await at(ada.id), await at(banned.id), await at(body.user_id), await at(999_999), await at('x')]).toEqual([
    304, 404, 404, 404, 404,
  ])
})

test('a private profile shows its lists to its user and administrators; who was blocked since is on none', async () => {
  const [ada, bob] = [await forge.user({ private_profile: true }), await forge.user()]
  await forge.as(ada).post(`/users/${bob.id}/follow`)
  expect([await named(ada, 'following', bob), await named(ada, 'following'), await named(ada, 'following', forge.root)]).toEqual([
    [],
    [bob.username],
    [bob.username],
  ])
  await forge.as(forge.root).post(`/users/${ada.id}/block`)
  expect(await named(bob, 'followers')).toEqual([])
})

test('the page of a user has a button, and lists with names that are only text', async () => {
  const [ada, bob] = [await forge.user({ password: 'a long password', name: '<b>Ada' }), await forge.user()]
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: ada.username, password: 'a long password' })
  const at = `/users/${bob.username}`
  expect((await me.submit(`/${bob.username}`, `${at}/follow`)).location).toBe(`/${bob.username}`)
  expect((await me.get(`${at}/followers`)).text).toContain('&lt;b&gt;Ada')
  expect((await me.get(`/users/${ada.username}/following`)).text).toContain(`@${bob.username}`)
  await me.submit(`/${bob.username}`, `${at}/unfollow`)
  expect((await me.get(`${at}/followers`)).text).toContain('Nobody follows this user.')
  expect((await me.get(`/${ada.username}`)).text).not.toContain('/follow"')
})
