/** The avatar that goes with an address: found by who may know whose the address is, and by nobody else. */
import { beforeAll, expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { Upload } from '../../../http/parameters/upload.ts'
import { usersByAddress } from './users.queries.ts'

let forge: Forge
let ada: TestUser
let address: string

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user({ email: 'Ada@private.example', avatar: new Upload('ada.png', 'image/png', onePixel) })
  address = `http://gitstead.test/uploads/-/system/user/avatar/${ada.id}/ada.png`
})

const identicon = (id: number) => `http://gitstead.test/uploads/-/system/user/avatar/${id}/identicon.v1.png`
const ofNobody = { avatar_url: identicon(0) }

const ask = async (client: Forge['anonymous'], query: string) => {
  const { status, body } = await client.get(`/avatar?${query}`)
  return [status, body]
}

test('only administrators and the user find an avatar by the primary address, which must be complete, in any case of letters', async () => {
  const other = await forge.user()
  for (const query of ['email=ada@private.example', 'email=ADA@PRIVATE.EXAMPLE&size=32']) {
    for (const client of [forge.as(ada), forge.as(forge.root)]) expect(await ask(client, query)).toEqual([200, { avatar_url: address }])
    expect(await ask(forge.as(other), query)).toEqual([200, ofNobody])
  }
})

test('where nobody has the address it is the same for all; without a picture it is an identicon', async () => {
  const plain = await forge.user()
  expect(await ask(forge.as(plain), `email=${plain.email}`)).toEqual([200, { avatar_url: identicon(plain.id) }])
  await forge.as(ada).post('/user/emails', { email: 'second@private.example' })
  for (const email of ['nobody@example.com', 'private.example', 'second@private.example', '%25', ''])
    expect([email, await ask(forge.as(plain), `email=${email}`)]).toEqual([email, [200, ofNobody]])
})

test('anonymous callers don’t learn whose email is whose, and get 403 where public visibility is restricted', async () => {
  for (const email of ['ada@private.example', 'nobody@example.com'])
    expect(await ask(forge.anonymous, `email=${email}`)).toEqual([200, ofNobody])
  await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: ['public'] })
  try {
    const refused = [403, { message: '403 Forbidden - Unauthorized access' }]
    expect(await ask(forge.anonymous, 'email=ada@private.example')).toEqual(refused)
    expect(await ask(forge.as(ada), 'email=ada@private.example')).toEqual([200, { avatar_url: address }])
  } finally {
    await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: [] })
  }
})

test('an external user’s avatar is found by administrators only, like the user in the list', async () => {
  const external = await forge.user({ external: true, avatar: new Upload('x.png', 'image/png', onePixel) })
  const found = { avatar_url: `http://gitstead.test/uploads/-/system/user/avatar/${external.id}/x.png` }
  expect(await ask(forge.as(forge.root), `email=${external.email}`)).toEqual([200, found])
  expect(await ask(forge.as(ada), `email=${external.email}`)).toEqual([200, ofNobody])
})

test.each([
  ['', 'email is missing'],
  ['email[]=a@b', 'email is invalid'],
  ['email=a%00b', 'email is invalid'],
  ['email=a@b&size=large', 'size is invalid'],
])('%s is refused', async (query, error) => {
  expect(await ask(forge.as(ada), query)).toEqual([400, { error }])
})

test('among many addresses, administrators find every owner, users themselves, and others nobody', async () => {
  const { db } = forge.app
  const [one, two] = [await forge.user(), await forge.user()]
  const emails = [one.email.toUpperCase(), two.email, two.email, 'nobody@example.com']
  const found = async (viewer: TestUser | null) => [...(await usersByAddress(db, viewer, emails)).values()].map(({ id }) => id).sort()
  expect(await found(forge.root)).toEqual([one.id, two.id].sort())
  expect([await found(one), await found(await forge.user()), await found(null)]).toEqual([[one.id], [], []])
  expect(await forge.cost(() => usersByAddress(db, forge.root, emails))).toEqual({ statements: 1, processes: 0 })
})
