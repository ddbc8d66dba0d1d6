/** Namespaces through the API: who sees which. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'
import type { LocatedGroup } from '../../access/find.ts'

let forge: Forge
let user: TestUser
let owned: LocatedGroup
let below: LocatedGroup
let guested: LocatedGroup
let avatar_url: string | null

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user({ username: 'nadia' })
  avatar_url = (await forge.as(user).get('/user')).body.avatar_url
  owned = await forge.group({ owner: user, path: 'owned', name: 'Owned Ones' })
  below = await forge.group({ parent: owned, path: 'below', guest: await forge.user(), developer: await forge.user({ state: 'blocked' }) })
  guested = await forge.group({ guest: user, path: 'guested' })
  await forge.group({ path: 'hidden', visibility: 'public' })
})

const own = () => ({
  id: expect.any(Number),
  name: 'nadia',
  path: 'nadia',
  kind: 'user',
  full_path: 'nadia',
  parent_id: null,
  avatar_url,
  web_url: 'http://gitstead.test/nadia',
})
const atTop = { parent_id: null, avatar_url: null }
const web = (path: string) => ({ web_url: `http://gitstead.test/groups/${path}` })
const list = async (query = '', client = forge.as(user)) => (await client.get(`/namespaces${query}`)).body

test('the list has the own namespace and the groups the caller is in; who owns one is told how many are', async () => {
  const { id, name } = owned
  expect(await list()).toEqual([
    own(),
    { id, name, path: 'owned', kind: 'group', full_path: 'owned', ...atTop, ...web('owned'), members_count_with_descendants: 3 },
    { id: guested.id, name: 'guested', path: 'guested', kind: 'group', full_path: 'guested', ...atTop, ...web('guested') },
  ])
})

test('the list has everything for administrators, and is searched by name and path', async () => {
  const all = await forge.as(forge.root).get('/namespaces?per_page=2')
  const count = await forge.app.db
    .selectFrom('namespaces')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirst()
  expect([all.body.length, all.headers['x-total']]).toEqual([2, String(count?.count)])
  const paths = async (query: string, client = forge.as(user)) => (await list(query, client)).map(({ path }: { path: string }) => path)
  expect(await paths('?search=owned%20o')).toEqual(['owned'])
  expect(await paths('?search=NADIA')).toEqual(['nadia'])
  expect(await paths('?search=hidden')).toEqual([])
  expect(await paths('?search=hidden', forge.as(forge.root))).toEqual(['hidden'])
})

test('one is found by its id and by its path, by members, its owner and administrators', async () => {
  const { body } = await forge.as(user).get('/namespaces/owned%2FBELOW')
  expect(body).toMatchObject({ id: below.id, full_path: 'owned/below', parent_id: owned.id, members_count_with_descendants: 2 })
  expect((await forge.as(user).get(`/namespaces/${below.id}`)).body).toEqual(body)
  expect((await forge.as(user).get('/namespaces/nadia')).body).toEqual(own())
  expect((await forge.as(forge.root).get('/namespaces/Nadia')).body).toEqual(own())
  expect((await forge.as(user).get('/namespaces/guested')).body).not.toHaveProperty('members_count_with_descendants')
})

test('others get 404 even for public ones, and anonymous callers 401', async () => {
  const other = await forge.user()
  for (const path of ['nadia', 'hidden', 'owned', owned.id, 'nothing', '999999', 'a%00b', 'owned%2Fnothing']) {
    const { status, body } = await forge.as(other).get(`/namespaces/${path}`)
    expect([path, status, body]).toEqual([path, 404, { message: '404 Namespace Not Found' }])
  }
  for (const path of ['/namespaces', '/namespaces/hidden']) expect((await forge.anonymous.get(path)).status).toBe(401)
})
