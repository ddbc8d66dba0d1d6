/** Identicons: a picture for everybody who has sent none, which says nothing of them but their number. */
import { imageSize } from 'image-size'
import { beforeAll, expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { Upload } from '../../../http/parameters/upload.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

const get = (url: string, headers = {}) => forge.anonymous.get(`/${url.replace('http://gitstead.test', '')}`, { headers })

test('the avatar of a user without a picture is a PNG, the same each time, another for another user', async () => {
  const [ada, bob] = [await forge.user(), await forge.user()]
  const urlOf = async (user: typeof ada) => (await forge.as(bob).get(`/users/${user.id}`)).body.avatar_url as string
  const [one, again, other] = [await get(await urlOf(ada)), await get(await urlOf(ada)), await get(await urlOf(bob))]
  expect([one.status, one.headers['content-type'], imageSize(one.bytes)]).toMatchObject([200, 'image/png', { width: 160, height: 160 }])
  expect(again.bytes.equals(one.bytes)).toBe(true)
  expect(other.bytes.equals(one.bytes)).toBe(false)
})

test('an identicon is cacheable, supports ETag and ranges, and has no active content', async () => {
  const path = '/uploads/-/system/user/avatar/77/identicon.v1.png'
  const { headers, bytes } = await get(path)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=604800',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'content-length': String(bytes.length),
  })
  const known = await get(path, { 'if-none-match': headers.etag })
  expect([known.status, known.text]).toEqual([304, ''])
  const part = await get(path, { range: 'bytes=1-3' })
  expect([part.status, part.text]).toEqual([206, 'PNG'])
})

test('an identicon exists for any id and reveals nothing of names or emails', async () => {
  const user = await forge.user({ email: 'before@example.com' })
  const path = `/uploads/-/system/user/avatar/${user.id}/identicon.v1.png`
  const before = await get(path)
  await forge.as(forge.root).put(`/users/${user.id}`, { email: 'after@example.com', skip_reconfirmation: true, name: 'Other' })
  expect((await get(path)).bytes.equals(before.bytes)).toBe(true)
  for (const id of ['0', '999999999']) expect((await get(`/uploads/-/system/user/avatar/${id}/identicon.v1.png`)).status).toBe(200)
  for (const id of ['-1', 'x', '1.5', '99999999999999999999'])
    expect((await get(`/uploads/-/system/user/avatar/${id}/identicon.v1.png`)).status).toBe(400)
  for (const kind of ['project', 'group']) expect((await get(`/uploads/-/system/${kind}/avatar/1/identicon.v1.png`)).status).toBe(404)
})

test('a picture that was sent is shown instead, also under the same name', async () => {
  const user = await forge.user({ avatar: new Upload('identicon.v1.png', 'image/png', onePixel) })
  const { avatar_url } = (await forge.as(user).get('/user')).body
  expect(avatar_url).toMatch(/\/identicon_v1\.png$/)
  expect((await get(avatar_url)).bytes.equals(onePixel)).toBe(true)
})
