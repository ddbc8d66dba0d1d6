/** Tokens and `sudo` in the body of a request: they count as those of the query do, and are nothing else. */
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'
import { asForm } from '../../../test/support/form.ts'
import { formTokenOf } from '../../access/sessions.ts'
import { endpoints } from '../../features/index.ts'
import { beginSession } from '../../features/people/sessions/sessions.ts'
import { buildServer } from '../../server.ts'
import { sessionCookie } from '../caller/cookies.ts'

let forge: Forge
let user: TestUser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user()
})

let count = 0
const named = () => `made${++count}`

/** One body as JSON, as a form and as a multipart form. */
function kindsOf(fields: Record<string, string | number>): Array<{ body: string; options: { headers: Record<string, string> } }> {
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  const multipart = pairs.map(([name, value]) => `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')
  return [
    { body: JSON.stringify(fields), options: { headers: { 'content-type': 'application/json' } } },
    { body: new URLSearchParams(pairs).toString(), options: { headers: { 'content-type': 'application/x-www-form-urlencoded' } } },
    { body: `${multipart}--cut--\r\n`, options: { headers: { 'content-type': 'multipart/form-data; boundary=cut' } } },
  ]
}

test('a token in the body signs its user in, in JSON, a form and a multipart form', async () => {
  for (const name of ['private_token', 'access_token']) {
    for (const { body, options } of kindsOf({ name: named(), [name]: user.token })) {
      const answer = await forge.anonymous.post('/projects', body.replaceAll(/made\d+/g, named()), options)
      expect([name, answer.status, answer.body.owner?.id]).toEqual([name, 201, user.id])
    }
  }
})

test('sudo in the body acts as the user named there, by id or name', async () => {
  for (const sudo of [user.id, user.username]) {
    for (const { body, options } of kindsOf({ name: 'x', sudo })) {
      const answer = await forge.as(forge.root).post(
        '/projects',
        body.replace(/"x"|=x|x(?=\r)/, (match) => match.replace('x', named())),
        options,
      )
      expect([sudo, answer.status, answer.body.owner?.id]).toEqual([sudo, 201, user.id])
    }
  }
  const both = await forge.anonymous.post('/projects', { name: named(), private_token: forge.root.token, sudo: user.id })
  expect([both.status, both.body.owner.id]).toEqual([201, user.id])
  const split = await forge.anonymous.post(`/projects?sudo=${user.id}`, { name: named(), private_token: forge.root.token })
  expect([split.status, split.body.owner.id]).toEqual([201, user.id])
})

test('under sudo in the body the rights are those of the other user, in both directions', async () => {
  const project = await forge.project({ group: await forge.group() })
  const hidden = await forge.as(forge.root).put(`/projects/${project.id}`, { description: 'Mine', sudo: user.id })
  expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Project Not Found' }])
  const denied = await forge
    .as(forge.root)
    .post('/users', { email: 'a@example.com', username: 'a', name: 'a', password: 'long enough', sudo: user.id })
  expect([denied.status, denied.body]).toEqual([403, { message: '403 Forbidden' }])
  const deleted = await forge.as(forge.root).delete(`/projects/${project.id}`, { sudo: user.id })
  expect(deleted.status).toBe(404)
  expect((await forge.as(forge.root).get(`/projects/${project.id}`)).body.description).not.toBe('Mine')
})

test('sudo in the body is never ignored: without right, scope or target it is refused', async () => {
  const project = (name: string) => forge.as(forge.root).get(`/projects/${encodeURIComponent(name)}`)
  const token = await forge.token(forge.root, { scopes: ['api'] })
  const cases: Array<[number, object, string | null, object]> = [
    [403, { message: '403 Forbidden - Must be admin to use sudo' }, user.token, { sudo: forge.root.id }],
    [403, expect.objectContaining({ error: 'insufficient_scope', scope: 'sudo' }), token, { sudo: user.id }],
    [401, { message: '401 Unauthorized' }, null, { sudo: user.id }],
    ...[null, '', false, [], [user.id], { a: 1 }].map((sudo): [number, object, string, object] => [
      404,
      { message: "404 User with ID or username '' Not Found" },
      forge.root.token,
      { sudo },
    ]),
    [404, { message: "404 User with ID or username 'nobody-here' Not Found" }, forge.root.token, { sudo: 'nobody-here' }],
  ]
  for (const [status, body, bearer, sent] of cases) {
    const name = named()
    const client = bearer === null ? forge.anonymous : forge.as(forge.root, { token: bearer })
    const answer = await client.post('/projects', { name, ...sent })
    expect([sent, answer.status, answer.body]).toEqual([sent, status, body])
    expect((await project(`root/${name}`)).status).toBe(404)
  }
})

test('two different tokens, or two names to act as, are refused; the same one twice is one', async () => {
  const other = await forge.user()
  const refused = [
    await forge.as(user).post('/projects', { name: named(), private_token: other.token }),
    await forge.as(user).post('/projects', { name: named(), access_token: 'gst-wrong' }),
    await forge.anonymous.post(`/projects?private_token=${user.token}`, { name: named(), private_token: other.token }),
    await forge.anonymous.post('/projects', { name: named(), private_token: user.token, access_token: other.token }),
    await forge.as(user).get(`/user?private_token=${other.token}`),
    await forge.anonymous.post('/projects', { name: named(), private_token: [user.token] }),
    await forge.anonymous.post('/projects', { name: named(), private_token: { a: user.token } }),
    await forge.anonymous.post('/projects', { name: named(), private_token: 5 }),
  ]
  for (const { status, body } of refused) expect([status, body]).toEqual([401, { message: '401 Unauthorized' }])

  const twice = await forge.as(forge.root).post(`/projects?sudo=${user.id}`, { name: named(), sudo: other.id })
  expect([twice.status, twice.body]).toEqual([400, { error: 'sudo is invalid' }])
  const both = await forge.as(forge.root).get(`/user?sudo=${user.id}`, { headers: { sudo: other.username } })
  expect([both.status, both.body]).toEqual([400, { error: 'sudo is invalid' }])

  const same = await forge
    .as(user)
    .post(`/projects?private_token=${user.token}`, { name: named(), private_token: user.token, access_token: '' })
  expect([same.status, same.body.owner.id]).toEqual([201, user.id])
})

test('a session does not write for a form of another site, whatever its body names', async () => {
  const holder = await forge.user({ password: 'a long password' })
  const secret = await beginSession(forge.app, holder)
  const cookie = `${sessionCookie}=${secret}`
  const send = (fields: object, headers = {}) =>
    forge.anonymous.post('/projects', new URLSearchParams({ name: named(), ...fields }).toString(), {
      headers: { cookie, origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  expect((await send({})).status).toBe(401)
  expect((await send({ sudo: String(holder.id) })).status).toBe(401)
  expect((await send({ private_token: '' })).status).toBe(401)
  expect((await send({ authenticity_token: formTokenOf(secret) })).status).toBe(401)
  const own = await send({}, { 'x-csrf-token': formTokenOf(secret) })
  expect([own.status, own.body.owner.id]).toEqual([201, holder.id])
  // A caller who names a token is its user; the session adds nothing to it.
  const byToken = await send({ private_token: user.token }, { 'x-csrf-token': formTokenOf(secret) })
  expect([byToken.status, byToken.body.owner.id]).toEqual([201, user.id])
})

test('expired and revoked tokens, those of blocked users and without the scope are refused from a body, too', async () => {
  const expired = await forge.token(user, { expires_on: '2020-01-01' })
  const blocked = await forge.user({ state: 'blocked' })
  const narrow = await forge.token(user, { scopes: ['read_user'] })
  const statuses = await Promise.all(
    [expired, blocked.token, narrow].map(
      async (private_token) => (await forge.anonymous.post('/projects', { name: named(), private_token })).status,
    ),
  )
  expect(statuses).toEqual([401, 403, 403])
})

test('anonymous bodies beyond 1 MiB, or of unknown length, are not read: the token must come before them', async () => {
  const large = { name: named(), description: 'x'.repeat(1024 * 1024), private_token: user.token }
  const answer = await forge.anonymous.post('/projects', large)
  expect([answer.status, answer.body]).toEqual([401, { message: '401 Unauthorized' }])
  const body = JSON.stringify({ name: named(), private_token: user.token })
  const chunked = await fetch(`${await forge.url()}/api/v4/projects`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(body))
        controller.close()
      },
    }),
    duplex: 'half',
  } as RequestInit)
  expect([chunked.status, await chunked.json()]).toEqual([401, { message: '401 Unauthorized' }])
})

test('a file may come in the same form as the token', async () => {
  const project = await forge.project({ developer: user })
  const { payload, headers } = asForm({ private_token: user.token, file: Buffer.from('the text') }, { file: 'a.txt' })
  const answer = await forge.anonymous.post(`/projects/${project.id}/uploads`, payload, { headers })
  expect([answer.status, answer.body.alt]).toEqual([201, 'a.txt'])
})

test('no endpoint mistakes credentials for data', () => {
  // Endpoints with a credential of their own read it themselves: `GET /job`.
  const others = endpoints.filter(({ access }) => !access.own_credential)
  const taken = others.flatMap(({ method, path, query, body }) =>
    ['private_token', 'access_token', 'job_token', 'sudo']
      .filter((name) => name in query || name in body)
      .map((name) => [method, path, name]),
  )
  expect(taken).toEqual([])
})

test('the log has the user and the administrator behind a sudo in a body, and nothing of a token there', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const server = await buildServer({ ...forge.app, log })
  const client = clientOf(server, {})
  const private_token = forge.root.token
  await client.post('/projects', { name: named(), private_token, sudo: user.username })
  await client.post('/projects', { private_token, job_token: 'job-secret' })
  await client.post('/projects', `{"private_token": "${private_token}"`, { headers: { 'content-type': 'application/json' } })
  await client.put('/nothing', { private_token })
  await server.close()
  const all = lines.join('')
  expect(all).not.toContain(private_token)
  expect(all).not.toContain('job-secret')
  const entries = lines.map((line) => JSON.parse(line))
  expect(entries.find(({ msg }) => msg === 'sudo')).toMatchObject({ sudo: { by: 'root', as: user.username } })
  expect(entries.filter(({ msg }) => msg === 'request').map(({ status, user: name }) => [status, name])).toEqual([
    [201, user.username],
    [400, 'root'],
    [400, undefined],
    [404, undefined],
  ])
})
