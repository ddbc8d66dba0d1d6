/** LFS batch: which files the project has, and where to upload and download them. */
import { expect, test } from 'vitest'
import { basicOf, lfsClient, uniqueFile } from '../../../test/support/fixtures/lfs.ts'
import { testForge } from '../../../test/support/forge.ts'

const zeros = '0'.repeat(64)

test('a file the project has not is to be uploaded and verified, with the credentials that came', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const { oid, size } = uniqueFile()
  const { status, headers, body } = await lfsClient(forge, project, developer).batch('upload', { oid, size })
  const root = `http://gitstead.test/${project.full_path}.git/info/lfs/objects`
  const header = { Authorization: basicOf(developer.username, developer.token) }
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/vnd.git-lfs+json', 'no-store'])
  expect(body).toEqual({
    transfer: 'basic',
    hash_algo: 'sha256',
    objects: [
      {
        oid,
        size,
        authenticated: true,
        actions: {
          upload: { href: `${root}/${oid}`, header, expires_in: 1800 },
          verify: { href: `${root}/verify`, header, expires_in: 1800 },
        },
      },
    ],
  })
})

test('a file the project has is to be downloaded, and not to be uploaded again; another is said not to be there', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const client = lfsClient(forge, project, forge.root)
  const { content, oid, size } = uniqueFile()
  expect((await client.put(content)).status).toBe(200)
  expect((await client.batch('upload', { oid, size })).body.objects).toEqual([{ oid, size }])
  const { body } = await client.batch('download', { oid, size }, { oid: zeros, size: 1 }, { oid, size: size + 1 })
  expect(body.objects).toEqual([
    {
      oid,
      size,
      authenticated: true,
      actions: {
        download: {
          href: `http://gitstead.test/${project.full_path}.git/info/lfs/objects/${oid}`,
          header: { Authorization: basicOf('root', forge.root.token) },
          expires_in: 1800,
        },
      },
    },
    { oid: zeros, size: 1, error: { code: 404, message: 'The project has no such object.' } },
    { oid, size: size + 1, error: { code: 422, message: `The object has ${size} bytes.` } },
  ])
})

test('anybody downloads from a public project, without a header of credentials; uploads need a name', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const { content, oid, size } = uniqueFile()
  await lfsClient(forge, project, forge.root).put(content)
  const client = lfsClient(forge, project, null)
  const [object] = (await client.batch('download', { oid, size })).body.objects
  expect(object.actions.download).toEqual({ href: expect.stringContaining(oid), expires_in: 1800 })
  expect((await client.get(oid)).bytes.equals(content)).toBe(true)
  const refused = await client.batch('upload', { oid, size })
  expect(refused.status).toBe(401)
  expect(refused.body).toEqual({ message: 'HTTP Basic: Access denied', request_id: expect.any(String) })
  expect(refused.headers['lfs-authenticate']).toBe('Basic realm="Gitstead", charset="UTF-8"')
  expect(refused.headers['www-authenticate']).toBe('Basic realm="Gitstead", charset="UTF-8"')
})

test('each caller is authorized by their rights in the project', async () => {
  const forge = await testForge()
  const [guest, reporter, developer, stranger] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ guest, reporter, developer })
  const ask = async (operation: string, who: Parameters<typeof lfsClient>[2]) =>
    (await lfsClient(forge, project, who).batch(operation, { oid: zeros, size: 0 })).status
  const statuses = async (who: Parameters<typeof lfsClient>[2]) => [await ask('download', who), await ask('upload', who)]
  expect(await statuses(null)).toEqual([401, 401])
  expect(await statuses(stranger)).toEqual([404, 404])
  expect(await statuses(guest)).toEqual([403, 403])
  expect(await statuses(reporter)).toEqual([200, 403])
  expect(await statuses(developer)).toEqual([200, 200])
  expect(await statuses({ ...developer, token: await forge.token(developer, { scopes: ['read_repository'] }) })).toEqual([200, 403])
  expect(await statuses({ ...developer, token: await forge.token(developer, { scopes: ['read_user'] }) })).toEqual([403, 403])
  expect(await statuses(basicOf(developer.username, 'wrong'))).toEqual([401, 401])
  expect(await statuses('Digest nonsense')).toEqual([401, 401])
  expect(await statuses(await forge.user({ state: 'blocked' }))).toEqual([403, 403])
})

test('asking for the large files of a project that is not there makes none', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const nowhere = { full_path: `${user.username}/nowhere` }
  const client = lfsClient(forge, nowhere, user)
  expect((await client.batch('upload', { oid: zeros, size: 0 })).status).toBe(404)
  expect((await client.put(uniqueFile().content)).status).toBe(404)
  expect((await client.send('POST', 'locks/verify', {})).status).toBe(404)
  expect((await forge.as(user).get(`/projects/${encodeURIComponent(nowhere.full_path)}`)).status).toBe(404)
})

test('where the project or any group above has large files disabled, nobody gets or brings any', async () => {
  const forge = await testForge()
  const group = await forge.group()
  const below = await forge.group({ parent: group })
  const project = await forge.project({ group: below })
  const client = lfsClient(forge, project, forge.root)
  const { content, oid, size } = uniqueFile()
  await client.put(content)
  const statuses = async () => [
    (await client.batch('download', { oid, size })).status,
    (await client.batch('upload', { oid, size })).status,
    (await client.get(oid)).status,
    (await client.put(uniqueFile().content)).status,
    (await client.send('GET', 'locks')).status,
    (await client.send('POST', 'locks', { path: 'a' })).status,
  ]
  const enabled = [200, 200, 200, 200, 200, 201]
  expect(await statuses()).toEqual(enabled)
  await forge.as(forge.root).put(`/projects/${project.id}`, { lfs_enabled: false })
  expect(await statuses()).toEqual(Array(6).fill(403))
  expect((await client.batch('download', { oid, size })).body.message).toBe('Git LFS is disabled for this project.')
  await forge.as(forge.root).put(`/projects/${project.id}`, { lfs_enabled: true })
  for (const { id } of [group, below]) {
    await forge.app.db.updateTable('namespaces').set({ lfs_enabled: false }).where('id', '=', id).execute()
    expect(await statuses()).toEqual(Array(6).fill(403))
    await forge.app.db.updateTable('namespaces').set({ lfs_enabled: true }).where('id', '=', id).execute()
  }
  expect((await statuses()).slice(0, 5)).toEqual(enabled.slice(0, 5))
})

test('an invalid batch request is rejected with a reason', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const object = { oid: zeros, size: 1 }
  const good = { operation: 'download', objects: [object] }
  const cases: Array<[number, unknown]> = [
    [422, 'nonsense'],
    [422, '[]'],
    [422, 'null'],
    [422, '"text"'],
    [422, ''],
    [422, `${'['.repeat(200_000)}`],
    [422, `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    [422, {}],
    [422, { ...good, operation: 'steal' }],
    [422, { ...good, operation: ['download'] }],
    [422, { ...good, operation: null }],
    [422, { ...good, transfers: 'basic' }],
    [422, { ...good, transfers: [1, 'basic'] }],
    [422, { ...good, transfers: ['multipart', 'ssh'] }],
    [422, { ...good, ref: 'main' }],
    [422, { ...good, ref: {} }],
    [422, { ...good, ref: { name: 5 } }],
    [409, { ...good, hash_algo: 'sha512' }],
    [409, { ...good, hash_algo: 7 }],
    [422, { operation: 'download' }],
    [422, { ...good, objects: {} }],
    [422, { ...good, objects: [null] }],
    [422, { ...good, objects: [[]] }],
    [422, { ...good, objects: ['x'] }],
    [413, { ...good, objects: Array(1_001).fill(object) }],
    [413, { ...good, padding: 'x'.repeat(10 * 1024 * 1024) }],
    ...[undefined, null, 5, '', 'a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(63)}\0`, `${zeros}\n`, `../${zeros}`, [zeros]].map(
      (oid): [number, unknown] => [422, { ...good, objects: [{ oid, size: 1 }] }],
    ),
    ...[undefined, null, '1', -1, 0.5, 2 ** 53, 1e300, [1], true].map((size): [number, unknown] => [
      422,
      { ...good, objects: [{ oid: zeros, size }] },
    ]),
  ]
  for (const [status, body] of cases) {
    const answer = await client.send('POST', 'objects/batch', body)
    const shown = JSON.stringify(body).slice(0, 100)
    expect([shown, answer.status, answer.headers['content-type']]).toEqual([shown, status, 'application/vnd.git-lfs+json'])
    expect(answer.body).toEqual({ message: expect.stringMatching(/\w.*\.$/), request_id: expect.any(String) })
  }
  const bytes = await client.send('POST', 'objects/batch', Buffer.from([0x7b, 0xff, 0x7d]))
  expect([bytes.status, bytes.body.message]).toEqual([422, 'The body is not encoded as UTF-8.'])
})

test('old and other clients are understood: plain JSON, a charset, no transfers, an empty list, a thousand objects', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const object = { oid: zeros, size: 1 }
  const ask = async (body: unknown, headers = {}) => {
    const answer = await client.send('POST', 'objects/batch', body, headers)
    return [answer.status, answer.body.objects?.length]
  }
  const good = { operation: 'upload', objects: [object] }
  expect(await ask(good, { 'content-type': 'application/json' })).toEqual([200, 1])
  expect(await ask(good, { 'content-type': 'application/vnd.git-lfs+json; charset=utf-8' })).toEqual([200, 1])
  expect(await ask(good, { accept: 'application/json' })).toEqual([200, 1])
  expect(await ask(good, { accept: '*/*' })).toEqual([200, 1])
  expect(await ask({ ...good, transfers: [], ref: null, hash_algo: 'sha256' })).toEqual([200, 1])
  expect(await ask({ ...good, transfers: ['ssh', 'basic'], ref: { name: 'refs/heads/main' } })).toEqual([200, 1])
  expect(await ask({ ...good, objects: [] })).toEqual([200, 0])
  expect(await ask({ ...good, objects: Array(1_000).fill(object) })).toEqual([200, 1_000])
  expect(await ask(good, { accept: 'text/html' })).toEqual([406, undefined])
  expect(await ask(good, { 'content-type': 'text/plain' })).toEqual([415, undefined])
  expect(await ask(good, { 'content-type': 'application/jsonish' })).toEqual([415, undefined])
})

test('a batch costs the same for one object and for a thousand', async () => {
  const forge = await testForge()
  const client = lfsClient(forge, await forge.project(), forge.root)
  const files = Array.from({ length: 1_000 }, (_, index) => ({ oid: index.toString(16).padStart(64, '0'), size: index }))
  const costs = []
  for (const count of [1, 1_000]) {
    const ask = async () => expect((await client.batch('download', ...files.slice(0, count))).status).toBe(200)
    await ask()
    const several = [await forge.cost(ask), await forge.cost(ask), await forge.cost(ask)]
    costs.push(Math.min(...several.map(({ statements }) => statements)))
  }
  expect(costs[1]).toBe(costs[0])
})

test('what is no action of large files is not found, in their own words', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const client = lfsClient(forge, project, forge.root)
  for (const [method, action] of [
    ['GET', 'objects/batch'],
    ['POST', `objects/${zeros}`],
    ['DELETE', `objects/${zeros}`],
    ['GET', `objects/${zeros.toUpperCase().replaceAll('0', 'A')}`],
    ['GET', `objects/..%2f..%2f${zeros}`],
    ['PUT', `objects/${zeros}/`],
    ['PUT', 'objects/'],
    ['PUT', 'locks'],
    ['POST', 'locks/x/unlock'],
    ['POST', 'locks/-1/unlock'],
    ['POST', 'locks/1/lock'],
    ['GET', 'objects/x%00'],
    ['GET', 'constructor'],
  ] as const) {
    const answer = await client.send(method, action, method === 'GET' ? undefined : '{}')
    expect([method, action, answer.status]).toEqual([method, action, 404])
  }
})
