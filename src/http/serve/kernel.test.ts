/** The kernel serves every endpoint alike: parameters, credentials, refusals, limits, headers. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { beforeAll, expect, test } from 'vitest'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'
import { takeUndeclared, watchStatuses } from '../../../test/support/run/declared-statuses.ts'
import { Failure, forbidden } from '../../failure.ts'
import { endpoint } from '../declare/endpoint.ts'
import { anyone, signedIn } from '../declare/rules.ts'
import { mount } from './mount.ts'
import { openServer } from './server.ts'

let forge: Forge
let user: TestUser
/** Signs in to a server of a few endpoints that say what they were sent. */
let echo: Client

const parameters = {
  name: Type.Optional(Type.String()),
  count: Type.Optional(Type.Integer()),
  on: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Type.Array(Type.String())),
  settings: Type.Optional(Type.Object({ colour: Type.String() })),
  variables: Type.Optional(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))),
}
const reply = Type.Object({ heard: Type.String() })
const handle = ({ body }: { body: unknown }) => ({ heard: JSON.stringify(body) })

const echoes = [
  endpoint('POST /echo', { summary: 'Echo', access: signedIn(), body: parameters, reply, status: 200, handle }),
  endpoint('DELETE /echo', { summary: 'Echo', access: signedIn(), body: parameters, reply, handle }),
  endpoint('GET /crash', {
    summary: 'Crash',
    access: anyone(),
    reply,
    handle() {
      throw new Error('a secret of the server')
    },
  }),
  endpoint('GET /refuse', {
    summary: 'Refuse with a status of its own',
    access: anyone(),
    reply,
    statuses: { conflict: 405 },
    handle() {
      throw new Failure('conflict', 'Already there', { cause: new Error('a secret of the server') })
    },
  }),
  endpoint('GET /undeclared', {
    summary: 'Refuse with a status nobody declared',
    access: anyone(),
    reply,
    handle() {
      throw new Failure('conflict', 'Already there')
    },
  }),
  endpoint('GET /forbid', {
    summary: 'Refuse',
    access: anyone(),
    reply,
    handle() {
      throw forbidden()
    },
  }),
]

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user()
  const server = await openServer(forge.app)
  mount(server, forge.app, echoes)
  watchStatuses(server, echoes)
  echo = clientOf(server, { 'private-token': user.token })
})

const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
const json = { headers: { 'content-type': 'application/json' } }

const multipart = (...parts: Array<[name: string, value: string, filename?: string]>) => ({
  body: `${parts
    .map(([name, value, file]) => {
      const more = file === undefined ? '' : `; filename="${file}"\r\nContent-Type: text/plain`
      return `--cut\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
    })
    .join('')}--cut--\r\n`,
  options: { headers: { 'content-type': 'multipart/form-data; boundary=cut' } },
})

const heard = (answer: { body: { heard: string } }) => JSON.parse(answer.body.heard)

test('an undeclared status fails the test that meets it', async () => {
  const { status } = await echo.get('/undeclared')

  expect([status, takeUndeclared()]).toEqual([409, ['GET /api/v4/undeclared 409']])
})

const everything = {
  name: 'a b',
  count: 2,
  on: true,
  tags: ['x', 'y'],
  settings: { colour: 'red' },
  variables: [
    { key: 'A', value: '1' },
    { key: 'B', value: '2' },
  ],
}
const pairs: Array<[string, string]> = [
  ['name', 'a b'],
  ['count', '2'],
  ['on', '1'],
  ['tags[]', 'x'],
  ['tags[]', 'y'],
  ['settings[colour]', 'red'],
  ['variables[][key]', 'A'],
  ['variables[][value]', '1'],
  ['variables[][key]', 'B'],
  ['variables[][value]', '2'],
]
const encoded = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')

test('parameters mean the same in the query, a form, JSON and a multipart form', async () => {
  const parts = multipart(...pairs)
  const answers = [
    await echo.post(`/echo?${encoded}`),
    await echo.post(
      `/echo?${pairs
        .map((pair) => pair.join('='))
        .join('&')
        .replace(' ', '+')}`,
    ),
    await echo.post('/echo', encoded, form),
    await echo.post('/echo', everything),
    await echo.post('/echo', parts.body, parts.options),
  ]
  for (const answer of answers) expect([answer.status, heard(answer)]).toEqual([200, everything])
})

test('query and body are merged, and the body wins', async () => {
  const answer = await echo.post('/echo?name=query&count=1', { name: 'body' })
  expect(heard(answer)).toEqual({ name: 'body', count: 1 })
})

test('an empty JSON or form body counts as no parameters', async () => {
  for (const options of [json, form, { headers: { 'content-type': 'application/json; charset=utf-8' } }]) {
    for (const method of ['POST', 'DELETE']) {
      const answer = await echo.request(method, '/echo?name=x', '', options)
      expect([method, answer.status, heard(answer)]).toEqual([method, 200, { name: 'x' }])
    }
  }
})

test('a body that doesn’t match its content type is rejected', async () => {
  for (const body of ['{', '{"a":}', 'name=x', '\u0000', '{"a":1}}', "{'a':1}", 'undefined']) {
    const answer = await echo.post('/echo', body, json)
    expect([body, answer.status, answer.body]).toEqual([body, 400, { error: 'message body does not match declared format' }])
  }
  for (const body of ['[]', '1', '"text"', 'true', '[{"name":"x"}]']) {
    const answer = await echo.post('/echo', body, json)
    expect([body, answer.status, answer.body]).toEqual([body, 400, { error: 'the body is not an object' }])
  }
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=other']) {
    const answer = await echo.post('/echo', multipart(['name', 'x']).body, { headers: { 'content-type': type } })
    expect([type, answer.status, answer.body]).toEqual([type, 400, { error: 'message body does not match declared format' }])
  }
  const cut = multipart(['name', 'x'])
  const answer = await echo.post('/echo', cut.body.slice(0, -20), cut.options)
  expect([answer.status, answer.body]).toEqual([400, { error: 'message body does not match declared format' }])
})

test('an unsupported content type gets 415', async () => {
  for (const type of ['text/plain', 'application/xml', 'nonsense', ';']) {
    const answer = await echo.post('/echo', 'name=x', { headers: { 'content-type': type } })
    expect([type, answer.status, answer.body]).toEqual([type, 415, { error: 'The provided content-type is not supported.' }])
  }
})

test('an empty body is accepted with any content type; a non-empty one is not', async () => {
  const types = ['text/plain', 'application/octet-stream', 'multipart/form-data', 'application/json', 'image/png', 'no type', 'a/b; c']
  for (const type of types) {
    const answer = await echo.post('/echo', '', { headers: { 'content-type': type, 'content-length': '0' } })
    expect([type, answer.status, answer.body]).toEqual([type, 200, { heard: '{}' }])
  }
  const full = await echo.post('/echo', 'x', { headers: { 'content-type': 'text/plain' } })
  expect([full.status, full.body]).toEqual([415, { error: 'The provided content-type is not supported.' }])
  const chunked = (body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'private-token': user.token, 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }
      const sending = httpRequest(`${url}/api/v4/projects/${id}/star`, { method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode))
      })
      sending.on('error', reject).end(body)
    })
  const url = await forge.url()
  const { id } = await forge.project({ visibility: 'public' })
  expect([await chunked(''), await chunked('x')]).toEqual([201, 415])
})

test('slashes at the end and in between are ignored in paths of the API, encoded ones and others count', async () => {
  const project = await forge.project({ visibility: 'public', files: { 'a/b.txt': 'text' } })
  const get = async (path: string) => (await forge.as(user).get(path)).status
  const id = encodeURIComponent(project.full_path)
  for (const path of [
    '/projects/',
    '//api/v4//projects',
    '///api//v4/projects//?page=1',
    `/projects/${id}/`,
    `/projects//${project.id}///repository/tree/`,
    `/projects/${project.id}/repository/files/a%2Fb.txt/?ref=main`,
    `/projects/${project.id}/repository/files/a%2Fb.txt//raw?ref=main`,
  ])
    expect([path, await get(path)]).toEqual([path, 200])
  for (const path of [`/projects/${id}%2F`, '//users//sign_in', '///api/v5/projects']) expect([path, await get(path)]).toEqual([path, 404])
  // There it is no repository, which git is not told without credentials.
  expect(await get(`//${project.full_path}.git//info/refs?service=git-upload-pack`)).toBe(401)
  // Nothing is deleted by an address that goes on with an empty name.
  for (const path of [`/projects/${project.id}/`, `//api//v4/projects/${project.id}`, `/projects/${project.id}/members/..`])
    expect([path, (await forge.as(forge.root).delete(path)).status]).toEqual([path, 404])
  expect(await get(`/projects/${project.id}`)).toBe(200)
  // Nor is all changed by one that lacks the name of one.
  for (const path of ['/todos//mark_as_done', '//api//v4//todos//mark_as_done'])
    expect([path, (await forge.as(user).post(path)).status]).toEqual([path, 400])
  expect((await forge.as(user).post('//api//v4//todos/mark_as_done//')).status).toBe(204)
  const { headers } = await forge.as(user).get('/projects/?per_page=1&search=//x/')
  expect(headers.link).toContain('<http://gitstead.test/api/v4/projects?search=//x/&page=1&per_page=1>')
})

test('version 3 answers 410, except for the current user', async () => {
  const gone = [410, { error: 'API V3 is no longer supported. Use API V4 instead.' }]
  for (const [method, path] of [
    ['GET', '//api/v3/projects'],
    ['POST', '//api/v3/projects/1/issues'],
    ['DELETE', '//api/v3/user/keys/1'],
    ['GET', '//api/v3/users/1/'],
  ] as const) {
    const answer = await forge.anonymous.request(method, path, method === 'POST' ? { private_token: 'x' } : undefined)
    expect([path, answer.status, answer.body]).toEqual([path, ...gone])
  }
  const [old, current] = [await forge.as(user).get('//api/v3/user'), await forge.as(user).get('/user')]
  expect([old.status, old.body]).toEqual([200, current.body])
  expect((await forge.anonymous.get('//api/v3/user')).status).toBe(401)
})

test('a deeply nested body is read or refused, never fatal', async () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
  const list = `{"tags":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  for (const body of [deep, list]) expect((await echo.post('/echo', body, json)).status).toBeLessThan(500)
  const nested = await echo.post('/echo', `name${'[a]'.repeat(100)}=1`, form)
  expect([nested.status, nested.body]).toEqual([400, { error: 'the parameters are nested too deeply' }])
})

test('no body reaches a prototype', async () => {
  const answer = await echo.post(
    '/echo',
    '{"name":"x","__proto__":{"polluted":1},"settings":{"colour":"red","__proto__":{"polluted":1}}}',
    json,
  )
  expect(heard(answer)).toEqual({ name: 'x', settings: { colour: 'red' } })
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('a body beyond its limit is refused with 413, whatever its form', async () => {
  const large = 'x'.repeat(1024 * 1024 + 1)
  const parts = multipart(['name', large])
  const files = multipart(['name', 'x'.repeat(600_000), 'a.txt'], ['other', 'x'.repeat(600_000), 'b.txt'])
  const fields = multipart(...Array.from({ length: 1_001 }, (_, index): [string, string] => [`a${index}`, '']))
  const answers = [
    await echo.post('/echo', { name: large }),
    await echo.post('/echo', `name=${large}`, form),
    await echo.post('/echo', parts.body, parts.options),
    await echo.post('/echo', files.body, files.options),
    await echo.post('/echo', fields.body, fields.options),
  ]
  for (const answer of answers) expect([answer.status, answer.body]).toEqual([413, { error: '413 Request Entity Too Large' }])
})

/** Sends the head of a request of 10 MB and not a byte of its body. */
async function announce10MB(headers: Record<string, string>): Promise<{ status: number; body: unknown }> {
  const url = `${await forge.url()}/api/v4/projects`
  const options = { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': 10 * 1024 * 1024, ...headers } }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, options, async (response: IncomingMessage) => {
      let text = ''
      for await (const chunk of response) text += chunk
      sent.destroy()
      resolve({ status: response.statusCode as number, body: JSON.parse(text) })
    })
    sent.on('error', reject)
    sent.flushHeaders()
  })
}

test('10 MB of JSON are refused unread: with 401 without credentials, with 413 otherwise', async () => {
  expect(await announce10MB({})).toEqual({ status: 401, body: { message: '401 Unauthorized' } })
  expect(await announce10MB({ 'private-token': user.token })).toEqual({ status: 413, body: { error: '413 Request Entity Too Large' } })
})

test('an address that is not UTF-8 is refused with 400, in the path and in the query', async () => {
  const client = forge.as(user)
  for (const path of ['/projects/%ff', '/projects/%', '/projects/a%zz', '/%c3%28']) {
    const answer = await client.get(path)
    expect([path, answer.status, answer.body]).toEqual([path, 400, { error: '400 Bad Request' }])
  }
  for (const query of ['search=%ff', '%=1', 'search=%zz']) {
    const answer = await client.get(`/projects?${query}`)
    expect([query, answer.status, answer.body]).toEqual([query, 400, { error: 'the parameters are not encoded as UTF-8' }])
  }
  const contradiction = await client.get('/projects?search=a&search[b]=c')
  expect([contradiction.status, contradiction.body]).toEqual([400, { error: 'search is invalid' }])
})

test('a stopping server finishes requests under way and doesn’t wait for idle connections', async () => {
  const server = await openServer(forge.app)
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const begun = new Promise<void>((resolve) => {
    server.get('/slow', async () => {
      resolve()
      await finished
      return 'done'
    })
  })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const answer = new Promise<IncomingMessage>((resolve) => httpRequest(`${address}/slow`, { agent }, resolve).end())
  await begun
  const stopped = server.close().then(() => 'stopped')
  await expect.poll(() => server.server.listening).toBe(false)
  finish()
  const { statusCode } = (await answer).resume()
  expect(statusCode).toBe(200)
  // By itself the connection would stay for more than a minute.
  expect(await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 10_000, 'still there').unref())])).toBe('stopped')
  agent.destroy()
})

test('the same holds over a real keep-alive socket', async () => {
  const base = `${await forge.url()}/api/v4`
  for (const path of ['/projects?search=%ff', '/projects/%ff']) expect((await fetch(base + path)).status).toBe(400)
  expect((await fetch(`${base}/projects`)).status).toBe(200)
})

test('long paths are routed, and extremely long ones are 404', async () => {
  const client = forge.as(user)
  const nested = Array.from({ length: 20 }, (_, index) => `group-${index}-${'x'.repeat(200)}`).join('%2F')
  const long = await client.get(`/projects/${nested}`)
  expect([long.status, long.body]).toEqual([404, { message: '404 Project Not Found' }])
  const endless = await client.get(`/projects/${'x'.repeat(9_000)}`)
  expect([endless.status, endless.body]).toEqual([404, { error: '404 Not Found' }])
})

test('an unknown path is not found', async () => {
  for (const path of ['/nothing', '/projects/1/nothing', '//api/v5/projects']) {
    const answer = await forge.as(user).get(path)
    expect([path, answer.status, answer.body]).toEqual([path, 404, { error: '404 Not Found' }])
  }
  // Outside of the API there are pages.
  for (const path of ['//nothing', '//api']) {
    const answer = await forge.as(user).get(path)
    expect([path, answer.status, answer.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8'])
  }
})

test('an endpoint may override the status of a failure, whose cause is never shown', async () => {
  const refused = await echo.get('/refuse')
  expect([refused.status, refused.body]).toEqual([405, { message: 'Already there' }])
  const forbidden = await echo.get('/forbid')
  expect([forbidden.status, forbidden.body]).toEqual([403, { message: '403 Forbidden' }])
  const crashed = await echo.get('/crash')
  expect([crashed.status, crashed.text]).toEqual([500, '{"message":"500 Internal Server Error"}'])
})

test('missing and malformed parameters are named', async () => {
  const admin = forge.as(forge.root)
  const missing = await admin.post('/users', { email: 'a@example.com' })
  expect([missing.status, missing.body]).toEqual([400, { error: 'username is missing, name is missing' }])
  const malformed = await echo.post('/echo', { count: 'many', variables: [{ key: 'A' }] })
  expect([malformed.status, malformed.body]).toEqual([400, { error: 'count is invalid, variables[0][value] is missing' }])
  const neither = await admin.post('/projects', {})
  expect([neither.status, neither.body]).toEqual([400, { error: 'name, path are missing, at least one parameter must be provided' }])
})

test('every kind of answer forbids sniffing, framing and scripts', async () => {
  const project = await forge.project()
  const admin = forge.as(forge.root)
  const answers = {
    200: await admin.get('/user'),
    204: await admin.request('OPTIONS', '/user'),
    400: await admin.get('/users?page=x'),
    '400 by the router': await admin.get('/projects/%ff'),
    '400 by the query': await admin.get('/projects?a=%ff'),
    401: await forge.anonymous.get('/user'),
    403: await forge.as(user).post('/users', {}),
    404: await admin.get('/projects/999999'),
    '404 without a route': await admin.get('/nothing'),
    '404 of a long path': await admin.get(`/projects/${'x'.repeat(9_000)}`),
    405: await admin.request('PATCH', '/user'),
    413: await echo.post('/echo', { name: 'x'.repeat(2_000_000) }),
    415: await admin.post('/projects', 'x', { headers: { 'content-type': 'text/plain' } }),
    500: await echo.get('/crash'),
    raw: await admin.get(`/projects/${project.id}/repository/files/README.md/raw?ref=main`),
    health: await admin.get('//-/health'),
    openapi: await admin.get('/openapi.json'),
    docs: await admin.get('//api/docs/'),
  }
  for (const [kind, { headers, status }] of Object.entries(answers)) {
    if (/^\d/.test(kind)) expect(`${status}`, kind).toBe(kind.slice(0, 3))
    expect([kind, headers['x-content-type-options'], headers['x-frame-options'], headers['referrer-policy']]).toEqual([
      kind,
      'nosniff',
      'DENY',
      'no-referrer',
    ])
    expect(headers['content-security-policy'], kind).toMatch(/default-src '(none|self)'/)
  }
  expect(answers.raw.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
})

test('JSON has the content type application/json without a charset', async () => {
  const admin = forge.as(forge.root)
  const answers = [
    await admin.get('/user'),
    await admin.get('/users'),
    await admin.head('/users'),
    await admin.head('/user'),
    await admin.get('/users?page=x'),
    await admin.get('/projects/%ff'),
    await admin.get('/projects?a=%ff'),
    await forge.anonymous.get('/user'),
    await admin.get('/nothing'),
    await admin.request('PATCH', '/user'),
    await echo.get('/crash'),
  ]
  expect(answers.map(({ headers }) => headers['content-type'])).toEqual(answers.map(() => 'application/json'))
})

test('a client with a copy of a reply gets 304 without a body, as long as it may read the reply and that is the same', async () => {
  const [owner, member] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: member, visibility: 'private' })
  const at = `/projects/${project.id}`
  const [one, list] = [await forge.as(member).get(at), await forge.as(member).get(`${at}/members`)]
  const having = (etag: string | undefined) => ({ headers: { 'if-none-match': `"other", ${etag}` } })

  const again = await forge.as(member).get(at, having(one.headers.etag))
  const listAgain = await forge.as(member).get(`${at}/members`, having(list.headers.etag))
  const head = await forge.as(member).head(at, having(one.headers.etag))
  const others = [await forge.as(await forge.user()).get(at, having(one.headers.etag)), await forge.anonymous.get(at, having('*'))]

  expect(one.headers).toMatchObject({
    etag: expect.stringMatching(/^W\/"[0-9a-f]{40}"$/),
    'cache-control': 'max-age=0, private, must-revalidate',
  })
  for (const { status, bytes, headers } of [again, listAgain, head]) {
    expect([status, bytes.length, headers['content-type'], headers['content-length']]).toEqual([304, 0, undefined, undefined])
    expect(headers['cache-control']).toBe(one.headers['cache-control'])
  }
  expect([again.headers.etag, head.headers.etag, listAgain.headers.etag]).toEqual([one.headers.etag, one.headers.etag, list.headers.etag])
  expect([listAgain.headers['x-total'], listAgain.headers.link]).toEqual([list.headers['x-total'], list.headers.link])
  expect(others.map(({ status, headers }) => [status, headers.etag])).toEqual([404, 404].map((status) => [status, undefined]))

  await forge.as(owner).put(at, { description: 'Another' })
  const changed = await forge.as(member).get(at, having(one.headers.etag))
  await forge.as(owner).delete(`${at}/members/${member.id}`)
  const lost = await forge.as(member).get(at, having(changed.headers.etag))

  expect([changed.status, changed.body.description, changed.headers.etag === one.headers.etag]).toEqual([200, 'Another', false])
  expect([lost.status, lost.headers.etag]).toEqual([404, undefined])
})

test('a change is made whatever entity tag is sent with it, and a reply that must not be cached has none', async () => {
  const sent = { headers: { 'if-none-match': '*' } }
  const project = await forge.project({ owner: user })

  const created = await forge.as(user).post(`/projects/${project.id}/labels`, { name: 'new', color: '#ff0000' }, sent)
  const deleted = await forge.as(user).delete(`/projects/${project.id}/labels/new`, undefined, sent)
  const refused = await forge.as(user).get('/projects/0', sent)

  expect([created.status, created.body.name, created.headers.etag]).toEqual([201, 'new', expect.stringMatching(/^W\//)])
  expect([deleted.status, deleted.headers.etag]).toEqual([204, undefined])
  expect([refused.status, refused.headers.etag, refused.headers['cache-control']]).toEqual([404, undefined, undefined])
})
