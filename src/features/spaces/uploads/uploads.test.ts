/** Files attached to texts: who sends them, who gets them, and that a browser runs none. */
import { beforeAll, expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'

let forge: Forge
let owner: TestUser
let guest: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest] = [await forge.user(), await forge.user()]
  project = await forge.project({ owner, guest })
})

function send(user: TestUser, bytes: Buffer, name: string, id = project.id) {
  const { payload, headers } = asForm({ file: bytes }, { file: name })
  return forge.as(user).post(`/projects/${id}/uploads`, payload, { headers })
}

const at = (url: string, path = project.full_path) => `//${path}${encodeURI(url)}`
const nameOf = ({ id, name, username }: TestUser) => ({ id, name, username })
const rows = () => forge.app.db.selectFrom('uploads').selectAll().execute()
const readable = (key: string) =>
  forge.app.store.open(key).then(
    (stream) => !stream.destroy().errored,
    () => false,
  )

test('anybody who sees the project can attach a file, and gets its Markdown', async () => {
  const { status, body } = await send(guest, onePixel, 'one pixel.png')
  expect([status, body]).toEqual([
    201,
    {
      alt: 'one_pixel',
      url: expect.stringMatching(/^\/uploads\/[0-9a-f]{32}\/one_pixel\.png$/),
      full_path: expect.stringMatching(new RegExp(`^/.+/.+${body.url}$`)),
      markdown: `![one_pixel](${body.url})`,
    },
  ])
  const got = await forge.as(owner).get(at(body.url))
  expect([got.status, got.bytes.equals(onePixel)]).toEqual([200, true])
  expect(got.headers).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': 'inline; filename="one_pixel.png"',
    'content-length': String(onePixel.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  const head = await forge.as(owner).head(at(body.url))
  expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([200, 0, String(onePixel.length)])
})

test.each([
  ['page.html', '<script>alert(1)</script>'],
  ['image.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['lie.png', '<html><script>alert(1)</script>'],
  ['empty.txt', ''],
])('%s is a download, by its content and not by its name', async (name, text) => {
  const { body } = await send(owner, Buffer.from(text), name)
  const got = await forge.as(owner).get(at(body.url))
  expect([got.status, got.text, got.headers['content-type'], got.headers['content-disposition']]).toEqual([
    200,
    text,
    'application/octet-stream',
    `attachment; filename="${name}"`,
  ])
})

test('a name in any writing is served under that name', async () => {
  const { body } = await send(owner, Buffer.from('x'), 'Größe 文件 (1).txt')
  expect(body.alt).toBe('Größe_文件__1_.txt')
  const got = await forge.as(owner).get(at(body.url))
  expect([got.status, got.headers['content-disposition']]).toEqual([200, expect.stringContaining("filename*=UTF-8''Gr%C3%B6%C3%9Fe_")])
})

test('a file is for who can see its project: for all others it is not there', async () => {
  const stranger = await forge.user()
  const { body } = await send(owner, onePixel, 'a.png')
  const there = at(body.url)
  const absent = `//nobody/nothing${body.url}`
  for (const client of [forge.anonymous, forge.as(stranger)]) {
    const [hidden, missing] = [await client.get(there), await client.get(absent)]
    expect([hidden.status, hidden.text]).toEqual([404, missing.text])
  }
  const narrow = forge.as(owner, { token: await forge.token(owner, { scopes: ['read_user'] }) })
  expect((await narrow.get(there)).status).toBe(403)
  const other = await forge.project({ owner, visibility: 'public' })
  for (const wrong of [
    at(body.url, other.full_path),
    at(body.url.replace('a.png', 'b.png')),
    at(`/uploads/${'0'.repeat(32)}/a.png`),
    at(body.url.replace('a.png', '..%2Fa.png')),
    at(body.url, 'no%00such/project'),
  ]) {
    expect([wrong, (await forge.as(owner).get(wrong)).status]).toEqual([wrong, 404])
  }
  const open = await send(owner, onePixel, 'a.png', other.id)
  expect((await forge.anonymous.get(at(open.body.url, other.full_path))).status).toBe(200)
})

test('an upload without a file, without a user, or without access is rejected and leaves nothing', async () => {
  const before = await rows()
  const post = (client: Forge['anonymous'], body: unknown) => client.post(`/projects/${project.id}/uploads`, body)
  expect((await post(forge.anonymous, {})).status).toBe(401)
  expect((await send(await forge.user(), onePixel, 'a.png')).body).toEqual({ message: '404 Project Not Found' })
  const cases = [
    [{}, { error: 'file is missing' }],
    [{ file: 'text' }, { error: 'file is invalid' }],
    [{ file: { filename: 'x', content: 'y' } }, { error: 'file is invalid' }],
  ] as const
  for (const [sent, body] of cases) {
    const answer = await post(forge.as(owner), sent)
    expect([sent, answer.status, answer.body]).toEqual([sent, 400, body])
  }
  const archived = await forge.project({ owner })
  await forge.as(owner).post(`/projects/${archived.id}/archive`)
  expect((await send(owner, onePixel, 'a.png', archived.id)).status).toBe(403)
  expect(await rows()).toEqual(before)
})

test('a file may have as many bytes as the setting says, and not one more', async () => {
  const put = (max_attachment_size: number) => forge.as(forge.root).put('/application/settings', { max_attachment_size })
  expect((await put(1)).status).toBe(200)
  const whole = await send(owner, Buffer.alloc(1024 * 1024, 1), 'whole.bin')
  const beyond = await send(owner, Buffer.alloc(1024 * 1024 + 1, 1), 'beyond.bin')
  expect([whole.status, beyond.status, beyond.body]).toEqual([201, 413, { error: '413 Request Entity Too Large' }])
  await put(2)
  expect((await send(owner, Buffer.alloc(1024 * 1024 + 1, 1), 'beyond.bin')).status).toBe(201)
})

test('maintainers list the files of a project, with who sent them, and delete one by either of its names', async () => {
  const maintainer = await forge.user()
  const listed = await forge.project({ owner, guest, maintainer })
  const [first, second] = [await send(guest, onePixel, 'a.png', listed.id), await send(owner, Buffer.from('text'), 'b.txt', listed.id)]
  const place = `/projects/${listed.id}/uploads`
  const { body, headers } = await forge.as(maintainer).get(place)
  expect([body, headers['x-total']]).toEqual([
    [
      { id: expect.any(Number), size: 4, filename: 'b.txt', created_at: expect.any(String), uploaded_by: nameOf(owner) },
      { id: expect.any(Number), size: onePixel.length, filename: 'a.png', created_at: expect.any(String), uploaded_by: nameOf(guest) },
    ],
    '2',
  ])
  const [, { id }] = body
  expect((await forge.as(maintainer).get(`${place}/${id}`)).bytes.equals(onePixel)).toBe(true)
  expect((await forge.as(guest).get(place + second.body.url.slice('/uploads'.length))).text).toBe('text')
  const other = await forge.project({ owner: maintainer })
  for (const wrong of [
    `/projects/${other.id}/uploads/${id}`,
    `${place}/${id + 1000}`,
    `${place}/${'0'.repeat(32)}/a.png`,
    `${place}/a%00b/a.png`,
  ])
    expect([wrong, (await forge.as(maintainer).delete(wrong)).status]).toEqual([wrong, 404])
  expect((await forge.as(guest).delete(`${place}/${id}`)).status).toBe(403)

  const key = (await rows()).find((row) => row.id === id)?.store_key ?? ''
  const ends = await Promise.all([1, 2].map(() => forge.as(maintainer).delete(`${place}/${id}`)))
  expect(ends.map(({ status }) => status).sort()).toEqual([204, 404])
  expect((await forge.as(maintainer).delete(place + second.body.url.slice('/uploads'.length))).status).toBe(204)
  expect((await forge.as(maintainer).get(place)).body).toEqual([])
  expect((await forge.as(owner).get(at(first.body.url, listed.full_path))).status).toBe(404)
  expect(await forge.app.db.selectFrom('unreferenced_objects').select('key').where('key', '=', key).execute()).toHaveLength(1)
})

test('with a project go its files and its avatar', async () => {
  const doomed = await forge.project({ owner })
  await send(owner, onePixel, 'a.png', doomed.id)
  const { payload, headers } = asForm({ avatar: onePixel })
  expect((await forge.as(owner).request('PUT', `/projects/${doomed.id}`, payload, { headers })).status).toBe(200)
  const upload = (await rows()).find(({ project_id }) => project_id === doomed.id)
  const { avatar_key } = await forge.app.db
    .selectFrom('projects')
    .select('avatar_key')
    .where('id', '=', doomed.id)
    .executeTakeFirstOrThrow()
  const keys = [upload?.store_key ?? '', avatar_key ?? '']
  expect(await Promise.all(keys.map(readable))).toEqual([true, true])

  await forge.as(owner).delete(`/projects/${doomed.id}`)

  const removed = await forge.app.db.selectFrom('unreferenced_objects').selectAll().where('key', 'in', keys).execute()
  expect(removed).toHaveLength(2)
})
