/** The caller of a request (spec part 5), and what of it is written down. */
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'
import type { Scope } from '../../access/levels.ts'
import { buildServer } from '../../server.ts'
import { redactUrl } from '../reply/redact.ts'

let forge: Forge
let user: TestUser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user()
})

const unauthorized = { message: '401 Unauthorized' }

test('a token is taken from its header, the query, or as a bearer token', async () => {
  const { token } = user
  const answers = [
    await forge.anonymous.get('/user', { headers: { 'private-token': token } }),
    await forge.anonymous.get(`/user?private_token=${token}`),
    await forge.anonymous.get('/user', { headers: { authorization: `Bearer ${token}` } }),
    await forge.anonymous.get('/user', { headers: { authorization: `bearer ${token}` } }),
    await forge.anonymous.get(`/user?access_token=${token}`),
  ]
  for (const answer of answers) expect([answer.status, answer.body.username]).toEqual([200, user.username])
})

test('a missing, empty or unknown kind of token counts as none', async () => {
  for (const headers of [{}, { 'private-token': '' }, { authorization: `Basic ${user.token}` }, { authorization: 'Bearer' }]) {
    const answer = await forge.anonymous.get('/user', { headers })
    expect([answer.status, answer.body]).toEqual([401, unauthorized])
  }
})

test('a wrong token is rejected, never treated as anonymous', async () => {
  const asked = ['/user', '/projects']
  for (const path of asked) {
    for (const token of ['gst-wrong', ' ', `${user.token}x`, user.token.toUpperCase(), '%00']) {
      const answer = await forge.anonymous.get(`${path}?private_token=${encodeURIComponent(token)}`)
      expect([path, token, answer.status, answer.body]).toEqual([path, token, 401, unauthorized])
    }
    for (const query of ['private_token[]=x', 'access_token[a]=x']) {
      const answer = await forge.anonymous.get(`${path}?${query}`)
      expect([path, query, answer.status, answer.body]).toEqual([path, query, 401, unauthorized])
    }
  }
})

test('an expired token and a revoked one are refused with the reason', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const expired = await forge.token(user, { expires_on: today })
  const revoked = await forge.token(user)
  await forge.as(user, { token: revoked }).get('/user')
  const { digestOf } = await import('../../access/tokens.ts')
  await forge.app.db.updateTable('access_tokens').set({ revoked: true }).where('digest', '=', digestOf(revoked)).execute()
  const answers = [await forge.as(user, { token: expired }).get('/user'), await forge.as(user, { token: revoked }).get('/user')]
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [401, { ...unauthorized, error: 'invalid_token', error_description: expect.stringContaining('expired') }],
    [401, { ...unauthorized, error: 'invalid_token', error_description: expect.stringContaining('revoked') }],
  ])
})

test('a blocked user is refused', async () => {
  const blocked = await forge.user({ state: 'blocked' })
  const answer = await forge.as(blocked).get('/user')
  expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden - Your account has been blocked.' }])
})

test('a token with insufficient scope is told which scope is needed', async () => {
  const answer = await forge.as(user, { token: await forge.token(user, { scopes: ['read_user'] }) }).get('/projects')
  expect([answer.status, answer.body]).toEqual([
    403,
    {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: 'api read_api',
    },
  ])
})

test('an administrator acts as another user, named by id or user name, in the query or a header', async () => {
  const admin = forge.as(forge.root)
  const answers = [
    await admin.get(`/user?sudo=${user.id}`),
    await admin.get(`/user?sudo=${user.username}`),
    await admin.get(`/user?sudo=${user.username.toUpperCase()}`),
    await admin.get('/user', { headers: { sudo: String(user.id) } }),
    await admin.get('/user', { headers: { sudo: user.username } }),
  ]
  for (const answer of answers) expect([answer.status, answer.body.id]).toEqual([200, user.id])
})

test('under sudo the rights are those of the other user', async () => {
  const admin = forge.as(forge.root)
  const project = await forge.project()
  const hidden = await admin.get(`/projects/${project.id}?sudo=${user.id}`)
  expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Project Not Found' }])
  const refused = await admin.post(`/users?sudo=${user.id}`, { email: 'x@example.com', username: 'x', name: 'x', password: 'long enough' })
  expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
  const made = await admin.post(`/projects?sudo=${user.id}`, { name: 'made under sudo' })
  expect([made.status, made.body.path_with_namespace]).toEqual([201, `${user.username}/made-under-sudo`])
})

test('sudo is for administrators', async () => {
  const answer = await forge.as(user).get(`/user?sudo=${forge.root.id}`)
  expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden - Must be admin to use sudo' }])
})

const insufficient = (scope: string) => ({
  error: 'insufficient_scope',
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope,
})

test('sudo needs a token of its scope, and reaches no further than the other scopes of the token', async () => {
  const acting = async (...scopes: Scope[]) => {
    const as = forge.as(forge.root, { token: await forge.token(forge.root, { scopes }) })
    return [
      await as.get(`/user?sudo=${user.id}`),
      await as.get(`/projects?sudo=${user.id}`),
      await as.post(`/projects?sudo=${user.id}`, { name: 'x' }),
    ]
  }
  for (const scopes of [['api'], ['read_user'], ['read_repository']] as Scope[][])
    for (const { status, body } of await acting(...scopes)) expect([scopes, status, body]).toEqual([scopes, 403, insufficient('sudo')])

  const [own, ...rest] = await acting('read_user', 'sudo')
  expect([own?.status, own?.body.id]).toEqual([200, user.id])
  expect(rest.map(({ status, body }) => [status, body])).toEqual([
    [403, insufficient('api read_api')],
    [403, insufficient('api')],
  ])

  for (const scopes of [['sudo'], ['read_repository', 'sudo']] as Scope[][])
    for (const { status, body } of await acting(...scopes))
      expect([scopes, status, body.error]).toEqual([scopes, 403, 'insufficient_scope'])

  const [reads, lists, writes] = await acting('api', 'sudo')
  expect([reads?.status, lists?.status, writes?.status, writes?.body.owner.id]).toEqual([200, 200, 201, user.id])
})

test('acting as another administrator by sudo makes no token that could sudo, nor a sudo of its own', async () => {
  const second = await forge.user({ admin: true })
  const as = forge.as(forge.root)
  const minted = await as.post(`/user/personal_access_tokens?sudo=${second.id}`, { name: 'x', scopes: ['sudo'] })
  expect(minted.status).toBe(400)
})

test('sudo as an unknown user gets 404', async () => {
  for (const target of ['999999', 'nobody-of-this-name', '0', '99999999999999999999', 'a b']) {
    const answer = await forge.as(forge.root).get(`/user?sudo=${encodeURIComponent(target)}`)
    expect([answer.status, answer.body]).toEqual([404, { message: `404 User with ID or username '${target}' Not Found` }])
  }
})

test('an empty sudo is never ignored', async () => {
  const admin = forge.as(forge.root)
  const answers = [
    await admin.get('/user?sudo='),
    await admin.get(`/user?sudo[]=${user.id}`),
    await admin.get(`/user?sudo[a]=${user.id}`),
    await admin.get('/user', { headers: { sudo: '' } }),
  ]
  for (const { status, body } of answers) expect([status, body]).toEqual([404, { message: "404 User with ID or username '' Not Found" }])
  expect((await forge.as(user).get('/user?sudo=')).status).toBe(403)
})

test('sudo as a blocked user, or without a token, is refused', async () => {
  const blocked = await forge.user({ state: 'blocked' })
  const refused = await forge.as(forge.root).get(`/user?sudo=${blocked.id}`)
  expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden - Your account has been blocked.' }])
  const anonymous = await forge.anonymous.get(`/projects?sudo=${user.id}`)
  expect([anonymous.status, anonymous.body]).toEqual([401, unauthorized])
})

test('the log names the user and the administrator behind a sudo, and holds no secret', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const server = await buildServer({ ...forge.app, log })
  const client = clientOf(server, {})
  const { token } = forge.root
  await client.get(`/user?private_token=${token}&sudo=${user.id}`)
  await client.get(`/user?private%5Ftoken=${token}`)
  await client.get(`/user?access_token=${token}&a=1`)
  await client.get('/user', { headers: { 'private-token': token } })
  await client.get('/user', { headers: { authorization: `Bearer ${token}` } })
  await client.get(`/nothing?private_token=${token}`)
  await client.get(`/projects/%ff?private_token=${token}`)
  await client.get(`/projects?a=%ff&private_token=${token}`)
  await client.get('/projects?upload[url]=https%3A%2F%2Fb.example%2F%3Fsig%3Dthe-signature&sig=the-signature')
  await client.post(`/users?private_token=${token}`, { password: 'the secret word' })
  await server.close()

  const all = lines.join('')
  expect(all).not.toContain(token)
  expect(all).not.toContain('the secret word')
  expect(all).not.toContain('the-signature')
  const entries = lines.map((line) => JSON.parse(line))
  expect(entries.find((entry) => entry.msg === 'sudo')).toMatchObject({ sudo: { by: 'root', as: user.username } })
  expect(entries.filter((entry) => entry.msg === 'request').map(({ method, status, user: name }) => [method, status, name])).toEqual([
    ['GET', 200, user.username],
    ['GET', 200, 'root'],
    ['GET', 200, 'root'],
    ['GET', 200, 'root'],
    ['GET', 200, 'root'],
    ['GET', 404, undefined],
    // Not the address that the router could not read: nothing of it is written down.
    ['GET', 400, undefined],
    ['GET', 200, undefined],
    ['POST', 400, 'root'],
  ])
})

test('the log has the path, parameter names and a few harmless values of an address', () => {
  expect(redactUrl('/api/v4/user')).toBe('/api/v4/user')
  expect(redactUrl('/x?page=2&per_page=20&ref=feature%2Fone&since=2020-01-01T00:00:00Z')).toBe(
    '/x?page=2&per_page=20&ref=feature%2Fone&since=2020-01-01T00:00:00Z',
  )
  for (const [sent, written] of [
    ['a=1&private_token=s&page=2', 'a=[redacted]&private_token=[redacted]&page=2'],
    [
      'private%5ftoken=s&ACCESS_TOKEN=s&user[password]=s&client_secret=s',
      'private_token=[redacted]&ACCESS_TOKEN=[redacted]&user[password]=[redacted]&client_secret=[redacted]',
    ],
    ['upload[url]=https://b.example/put?X-Amz-Signature=s', 'upload[url]=[redacted]'],
    ['upload%5Burl%5D=https%3A%2F%2Fb.example%2Fput%3Fsig%3Ds', 'upload[url]=[redacted]'],
    ['import_url=https://a:b@c/d', 'import_url=[redacted]'],
    [
      'sig=s&feed_token=s&rss_token=s&job_token=s&search=ada@example.com',
      'sig=[redacted]&feed_token=[redacted]&rss_token=[redacted]&job_token=[redacted]&search=[redacted]',
    ],
    // Not where a name or a value is expected either.
    ['X-Amz-Signature=s', '[redacted]'],
    ['gst-0123456789abcdef', '[redacted]'],
    ['gst-0123456789abcdef=', '[redacted]'],
    ['private_token=a=b&%zz=1', 'private_token=[redacted]&[redacted]'],
    ['ref=https://a:b@c/d', 'ref=[redacted]'],
    ['ref=https:%2F%2Fc/d', 'ref=[redacted]'],
    [`ref=${'x'.repeat(101)}`, 'ref=[redacted]'],
    ['', ''],
    ['&', '&'],
  ])
    expect(redactUrl(`/x?${sent}`)).toBe(`/x?${written}`)
})

test('the log has neither the secret of an upload nor a password in a URL', () => {
  const secret = '0123456789abcdef'.repeat(2)
  expect(redactUrl(`/ada/loom/uploads/${secret}/plan.txt?a=${secret}`)).toBe('/ada/loom/uploads/[redacted]/plan.txt?a=[redacted]')
  expect(redactUrl('http://ada:pass@host/api/v4/user')).toBe('[redacted]')
})
