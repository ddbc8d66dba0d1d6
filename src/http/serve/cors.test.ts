/** Pages of other origins: what a browser lets their scripts do, and whose session they never get. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'

let forge: Forge
let user: TestUser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user()
})

const origin = 'https://pages.example'
const from = { headers: { origin } }
const exposed = 'ETag, Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page'

test('a script of any origin reads answers of the API with a token, and their paging headers', async () => {
  for (let round = 0; round < 2; round++) {
    // The second answer is a cached one.
    const { status, headers } = await forge.as(user).get('/projects', from)
    expect([status, headers['access-control-allow-origin'], headers['access-control-expose-headers'], headers.vary]).toEqual([
      200,
      '*',
      exposed,
      'Origin',
    ])
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  }
  const own = await forge.as(user).get('/projects')
  expect(Object.keys(own.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('over a real connection, too: kept answers, bytes and errors', async () => {
  const project = await forge.project({ visibility: 'public' })
  const base = `${await forge.url()}/api/v4`
  const file = `/projects/${project.id}/repository/files/README.md/raw?ref=main`
  for (const path of ['/projects', '/projects', file, '/user', '/nothing']) {
    const answer = await fetch(base + path, { headers: { origin } })
    await answer.arrayBuffer()
    expect([path, answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).toEqual([path, '*', 'Origin'])
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('scripts of any origin can read errors, too: of the router, the rules, and 404', async () => {
  const project = await forge.project()
  const answers = await Promise.all([
    forge.anonymous.get('/user', from),
    forge.anonymous.post('/projects', { name: 'x' }, from),
    forge.as(user).get(`/projects/${project.id}`, from),
    forge.as(user).get('/nothing', from),
    forge.as(user).get('/projects?search=%ff', from),
    forge.as(user).get('/projects/%ff', from),
    forge.as(user).request('PATCH', '/projects', undefined, from),
    forge.anonymous.get('//api/v3/projects', from),
    forge.as(user).post('/projects', '{', { headers: { origin, 'content-type': 'application/json' } }),
  ])
  expect(answers.map(({ status, headers }) => [status, headers['access-control-allow-origin']])).toEqual(
    [401, 401, 404, 404, 400, 400, 405, 410, 400].map((status) => [status, '*']),
  )
})

test('a preflight is allowed whatever it asks for, for unknown paths too, and reaches no endpoint', async () => {
  const asking = {
    headers: { origin, 'access-control-request-method': 'DELETE', 'access-control-request-headers': 'private-token, content-type' },
  }
  for (const path of ['/projects/1', '/user', '/nothing', '//api/v3/projects']) {
    const { status, headers, text } = await forge.anonymous.request('OPTIONS', path, undefined, asking)
    expect([path, status, text]).toEqual([path, 200, ''])
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'private-token, content-type',
      'access-control-max-age': '1728000',
    })
  }
  const plain = await forge.anonymous.request('OPTIONS', '/projects/1', undefined, from)
  expect([plain.status, plain.headers.allow]).toEqual([204, 'OPTIONS, HEAD, GET, PUT, DELETE'])
})

test('scripts of any origin clone, push and fetch large files with credentials in a header, never with a session', async () => {
  const project = await forge.project({ developer: user })
  const at = `/${project.full_path}.git`
  const git = { 'access-control-request-headers': 'authorization,content-type,git-protocol' }
  for (const [method, path] of [
    ['GET', `${at}/info/refs?service=git-receive-pack`],
    ['POST', `${at}/git-upload-pack`],
    ['POST', `${at}/git-receive-pack`],
    ['POST', `${at}/info/lfs/objects/batch`],
    ['PUT', `${at}/info/lfs/objects/${'0'.repeat(64)}`],
    ['GET', `/${project.full_path}.wiki.git/info/refs`],
    ['GET', '/nobody/nothing/info/refs'],
  ] as const) {
    const asked = { headers: { origin, 'access-control-request-method': method, ...git } }
    const preflight = await forge.anonymous.request('OPTIONS', `/${path}`, undefined, asked)
    expect([path, preflight.status]).toEqual([path, 200])
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': git['access-control-request-headers'],
    })
    expect(preflight.headers['access-control-allow-methods']).toContain(method)
    const refused = await forge.anonymous.request(method, `/${path}`, undefined, from)
    expect([path, refused.status < 500, refused.headers['access-control-allow-origin']]).toEqual([path, true, '*'])
    expect(refused.headers).not.toHaveProperty('access-control-allow-credentials')
  }
  const own = await forge.anonymous.get(`/${at}/info/refs?service=git-upload-pack`)
  expect(own.headers).not.toHaveProperty('access-control-allow-origin')
})

test('pages, uploads and avatars don’t allow other origins', async () => {
  const project = await forge.project({ visibility: 'public' })
  const paths = [
    '/',
    '/users/sign_in',
    `/${project.full_path}`,
    `/${project.full_path}/info/lfs`,
    `/${project.full_path}/uploads/${'0'.repeat(32)}/x.png`,
    '/uploads/-/system/user/avatar/1/x.png?/info/refs',
  ]
  for (const path of paths) {
    const { headers } = await forge.anonymous.get(`/${path}`, from)
    expect([path, headers['access-control-allow-origin']]).toEqual([path, undefined])
    const preflight = await forge.anonymous.request('OPTIONS', `/${path}`, undefined, {
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    expect([path, preflight.headers['access-control-allow-origin']]).toEqual([path, undefined])
  }
})
