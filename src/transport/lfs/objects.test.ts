/** Large files go up whole or not at all, belong to the projects that were sent them, and come down in any parts. */
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request as rawRequest } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { basicOf, lfsClient, oidOf, uniqueFile } from '../../../test/support/fixtures/lfs.ts'
import { type Forge, type TestProject, testForge } from '../../../test/support/forge.ts'

/** The rows of a file, and the projects that refer to it. */
async function tracesOf({ app }: Forge, oid: string) {
  const rows = await app.db.selectFrom('lfs_objects').selectAll().where('oid', '=', oid).execute()
  const links = await app.db.selectFrom('lfs_links').select('project_id').where('oid', '=', oid).orderBy('project_id').execute()
  return { rows, projects: links.map(({ project_id }) => project_id) }
}

/** Files in the store: what is being stored stands in a folder of its own. */
async function storedFiles({ app }: Forge): Promise<string[]> {
  const found = await readdir(join(app.config.home, 'objects'), { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

const nothing = { rows: [], projects: [] }

test('an uploaded file is the project’s: verified, downloaded with its type and tag, and not asked for again', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const client = lfsClient(forge, project, forge.root)
  const { content, oid, size } = uniqueFile(200_000)
  expect((await client.send('POST', 'objects/verify', { oid, size })).status).toBe(404)
  const uploaded = await client.put(content)
  expect([uploaded.status, uploaded.body]).toEqual([200, {}])
  expect((await client.send('POST', 'objects/verify', { oid, size })).status).toBe(200)
  expect((await client.send('POST', 'objects/verify', { oid, size: size - 1 })).status).toBe(422)
  const got = await client.get(oid)
  expect([got.status, got.bytes.equals(content)]).toEqual([200, true])
  expect(got.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(size),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'attachment',
    etag: `"${oid}"`,
  })
  expect((await client.put(content)).status).toBe(200)
  expect((await tracesOf(forge, oid)).projects).toEqual([project.id])
})

test('an empty file is a file', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const content = Buffer.alloc(0)
  const sent = await client.send('PUT', `objects/${oidOf(content)}`, '', {
    'content-type': 'application/octet-stream',
    'content-length': '0',
  })
  expect(sent.status).toBe(200)
  const got = await client.get(oidOf(content))
  expect([got.status, got.bytes.length, got.headers['content-length']]).toEqual([200, 0, '0'])
})

test('a part is sent where one is asked for, all where it has changed meanwhile, and nothing beyond the end', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const { content, oid, size } = uniqueFile(10_000)
  await client.put(content)
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=5000-', 5_000, 9_999],
    ['bytes=-10', 9_990, 9_999],
    ['bytes=9999-99999999999999999999', 9_999, 9_999],
  ] as const) {
    const part = await client.get(oid, { range })
    expect([range, part.status, part.headers['content-range']]).toEqual([range, 206, `bytes ${start}-${end}/${size}`])
    expect(part.bytes.equals(content.subarray(start, end + 1))).toBe(true)
  }
  expect((await client.get(oid, { range: 'bytes=5-', 'if-range': `"${oid}"` })).status).toBe(206)
  expect((await client.get(oid, { range: 'bytes=5-', 'if-range': '"other"' })).bytes.equals(content)).toBe(true)
  const beyond = await client.get(oid, { range: 'bytes=10000-' })
  expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */10000'])
  expect((await client.get(oid, { 'if-none-match': `"${oid}"` })).status).toBe(304)
  const head = await client.send('HEAD', `objects/${oid}`)
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, '10000', 0])
})

test('naming the file of another project gives nothing, and the same answer as for a file that does not exist', async () => {
  const forge = await testForge()
  const { content, oid, size } = uniqueFile(5_000)
  const owner = await forge.project()
  const other = await forge.project()
  await lfsClient(forge, owner, forge.root).put(content)
  const client = lfsClient(forge, other, forge.root)
  const absent = uniqueFile(5_000)
  const wrong = Buffer.alloc(size, 'x')

  const answersFor = async (file: { oid: string; size: number }) => {
    const answers = [
      await client.batch('download', { oid: file.oid, size: file.size }),
      await client.batch('upload', { oid: file.oid, size: file.size }),
      await client.batch('upload', { oid: file.oid, size: file.size + 1 }),
      await client.send('POST', 'objects/verify', { oid: file.oid, size: file.size }),
      await client.get(file.oid),
      await client.send('HEAD', `objects/${file.oid}`),
      await client.get(file.oid, { range: 'bytes=0-0' }),
      await client.get(file.oid, { 'if-none-match': `"${file.oid}"` }),
      await client.put(wrong, file.oid),
      await client.put(wrong.subarray(1), file.oid),
      await client.send('PUT', `objects/${file.oid}`, '', { 'content-length': '0' }),
    ]
    return answers.map(({ status, text }) => [status, text.replaceAll(file.oid, 'OID').replace(/req-\w+/, 'ID')])
  }
  const told = await answersFor({ oid, size })
  expect(told).toEqual(await answersFor(absent))
  expect(told.map(([status]) => status)).toEqual([200, 200, 200, 404, 404, 404, 404, 404, 422, 422, 422])
  expect((await tracesOf(forge, oid)).projects).toEqual([owner.id])

  expect((await client.put(content)).status).toBe(200)
  expect((await tracesOf(forge, oid)).projects).toEqual([owner.id, other.id])
  expect((await client.get(oid)).bytes.equals(content)).toBe(true)
})

test('a file of several projects is stored once, and counts in each of them, however often it is sent', async () => {
  const forge = await testForge()
  const [{ content, oid, size }, other] = [uniqueFile(), uniqueFile(5_000)]
  for (const project of [await forge.project(), await forge.project(), await forge.project()]) {
    for (const sent of [content, content, other.content]) {
      expect((await lfsClient(forge, project, forge.root).put(sent)).status).toBe(200)
    }
    const { statistics } = (await forge.as(forge.root).get(`/projects/${project.id}?statistics=true`)).body
    expect(statistics.lfs_objects_size).toBe(size + other.size)
    expect(statistics.storage_size).toBe(statistics.repository_size + size + other.size)
  }
  const { rows } = await tracesOf(forge, oid)
  expect(rows).toHaveLength(1)
  const kept = rows[0]?.store_key
  expect(
    await forge.app.db
      .selectFrom('unreferenced_objects')
      .select('key')
      .where('key', '=', kept ?? '')
      .execute(),
  ).toEqual([])
  const due = await forge.app.db.selectFrom('unreferenced_objects').select('remove_after').execute()
  expect(due.filter(({ remove_after }) => remove_after <= new Date().toISOString()).length).toBeGreaterThanOrEqual(2)
})

test('several uploads of one file at once all succeed, in one project and in several, and one copy remains', async () => {
  const forge = await testForge()
  const { content, oid } = uniqueFile(300_000)
  const projects = [await forge.project(), await forge.project()]
  const uploads = Array.from({ length: 8 }, (_, index) => lfsClient(forge, projects[index % 2] as TestProject, forge.root).put(content))
  expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual(Array(8).fill(200))
  const { rows, projects: having } = await tracesOf(forge, oid)
  expect([rows.length, having]).toEqual([1, projects.map(({ id }) => id)])
  const waiting = (await forge.app.db.selectFrom('unreferenced_objects').select('key').execute()).map(({ key }) => key)
  expect(waiting).not.toContain(rows[0]?.store_key)
  for (const project of projects) expect((await lfsClient(forge, project, forge.root).get(oid)).bytes.equals(content)).toBe(true)
})

test('other bytes than the named ones, more, fewer, compressed or of unknown length are refused and leave nothing', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const { content, oid } = uniqueFile()
  const before = await storedFiles(forge)
  const refusals: Array<[number, string, Promise<{ status: number; body: { message: string } }>]> = [
    [422, 'The bytes that arrived have another SHA-256.', client.put(Buffer.alloc(content.length, 'x'), oid)],
    [422, 'The bytes that arrived have another SHA-256.', client.put(content.subarray(1), oid)],
    [415, 'An object is sent as it is, not compressed.', client.send('PUT', `objects/${oid}`, content, { 'content-encoding': 'gzip' })],
  ]
  for (const [status, message, sent] of refusals) {
    const answer = await sent
    expect([answer.status, answer.body.message]).toEqual([status, message])
  }
  expect(await tracesOf(forge, oid)).toEqual(nothing)
  expect(await storedFiles(forge)).toEqual(before)
})

/** An upload by hand, over a real socket. `end` is what happens after the bytes. */
async function uploadByHand(
  forge: Forge,
  project: TestProject,
  oid: string,
  { headers, bytes, end }: { headers: Record<string, string>; bytes: Buffer; end: 'finish' | 'break off' },
): Promise<{ status: number; text: string }> {
  const address = new URL(`${await forge.url()}/${project.full_path}.git/info/lfs/objects/${oid}`)
  return new Promise((resolve, reject) => {
    const request = rawRequest(address, {
      method: 'PUT',
      headers: { authorization: basicOf('root', forge.root.token), 'content-type': 'application/octet-stream', ...headers },
    })
    request.on('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, text })
    })
    request.on('error', (error) => (end === 'break off' ? resolve({ status: 0, text: '' }) : reject(error)))
    request.write(bytes, () => (end === 'finish' ? request.end() : request.destroy()))
  })
}

test('a file of unknown length is refused with a sentence', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const { content, oid } = uniqueFile()
  const chunked = { headers: { 'transfer-encoding': 'chunked' }, bytes: content, end: 'finish' as const }
  const { status, text } = await uploadByHand(forge, project, oid, chunked)
  expect([status, JSON.parse(text).message]).toEqual([422, 'Its Content-Length must say how many bytes the object has.'])
  expect(await tracesOf(forge, oid)).toEqual(nothing)
})

test('an upload that breaks off at any point leaves nothing, and the next one succeeds', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const { content, oid, size } = uniqueFile(500_000)
  const before = await storedFiles(forge)
  for (const sent of [1, 70_000, size - 1]) {
    const cut = { headers: { 'content-length': String(size) }, bytes: content.subarray(0, sent), end: 'break off' as const }
    await uploadByHand(forge, project, oid, cut)
  }
  await expect.poll(() => storedFiles(forge)).toEqual(before)
  expect(await tracesOf(forge, oid)).toEqual(nothing)
  const whole = { headers: { 'content-length': String(size) }, bytes: content, end: 'finish' as const }
  expect((await uploadByHand(forge, project, oid, whole)).status).toBe(200)
  expect((await tracesOf(forge, oid)).projects).toEqual([project.id])
})

test('an upload to a project that is deleted meanwhile ends with 404, and nothing of it is kept', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const { content, oid, size } = uniqueFile(200_000)
  const address = new URL(`${await forge.url()}/${project.full_path}.git/info/lfs/objects/${oid}`)
  const headers = { authorization: basicOf('root', forge.root.token), 'content-length': String(size) }
  const before = await keysBeingStored(forge)
  const status = await new Promise((resolve, reject) => {
    const request = rawRequest(address, { method: 'PUT', headers }, (response) => resolve(response.statusCode))
    request.on('error', reject)
    request.write(content.subarray(0, 1_000), async () => {
      await expect.poll(() => keysBeingStored(forge)).toBeGreaterThan(before)
      await forge.as(forge.root).delete(`/projects/${project.id}`)
      request.end(content.subarray(1_000))
    })
  })
  expect(status).toBe(404)
  expect(await tracesOf(forge, oid)).toEqual(nothing)
})

async function keysBeingStored({ app }: Forge): Promise<number> {
  const hour_later = new Date(Date.now() + 3_600_000).toISOString()
  return (await app.db.selectFrom('unreferenced_objects').select('key').where('remove_after', '>', hour_later).execute()).length
}

test('a user who may not push uploads nothing', async () => {
  const forge = await testForge()
  const reporter = await forge.user()
  const project = await forge.project({ reporter, visibility: 'public' })
  const { content, oid, size } = uniqueFile()
  expect((await lfsClient(forge, project, reporter).put(content)).status).toBe(403)
  expect((await lfsClient(forge, project, null).put(content)).status).toBe(401)
  expect((await lfsClient(forge, project, reporter).send('POST', 'objects/verify', { oid, size })).status).toBe(403)
  expect(await tracesOf(forge, oid)).toEqual(nothing)
})

test('on a full disk the client is told so with 507', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const { content, oid } = uniqueFile()
  const { put } = forge.app.store
  forge.app.store.put = async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  try {
    const { status, body } = await client.put(content)
    expect([status, body.message]).toEqual([507, 'No storage left on the server'])
  } finally {
    forge.app.store.put = put
  }
  expect(await tracesOf(forge, oid)).toEqual(nothing)
})

test('a client that reads no reply before it has sent all of a large file is told of the full disk too', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const { content, oid, size } = uniqueFile(20_000_000)
  const { put } = forge.app.store
  forge.app.store.put = async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  try {
    const address = new URL(`${await forge.url()}/${project.full_path}.git/info/lfs/objects/${oid}`)
    const headers = { authorization: basicOf('root', forge.root.token), 'content-length': String(size) }
    const request = rawRequest(address, { method: 'PUT', headers })
    const answered = once(request, 'response')
    await new Promise<void>((resolve, reject) => request.once('error', reject).end(content, resolve))
    const [response] = await answered
    expect(response.statusCode).toBe(507)
  } finally {
    forge.app.store.put = put
  }
})

test('where the store has addresses of its own, a download is sent there, without our credentials', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const { content, oid, size } = uniqueFile()
  await client.put(content)
  const { address } = forge.app.store
  forge.app.store.address = async (key) => `https://bucket.example.com/${key}?signed`
  try {
    const [object] = (await client.batch('download', { oid, size })).body.objects
    expect(object.actions).toEqual({
      download: { href: expect.stringMatching(/^https:\/\/bucket\.example\.com\/lfs\/.*\?signed$/), expires_in: 900 },
    })
  } finally {
    forge.app.store.address = address
  }
})
