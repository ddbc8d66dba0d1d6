/** Links among the assets of a release: added, changed, deleted, and where they lead. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let developer: TestUser
let guest: TestUser
let project: TestProject
const at = (tag: string, path = '') => `/projects/${project.id}/releases/${tag}/assets/links${path}`
const add = (tag: string, link: object) => forge.as(developer).post(at(tag), link)

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  guest = await forge.user()
  project = await forge.project({ developer, guest })
  for (const tag_name of ['v1', 'v2', 'full']) await forge.as(developer).post(`/projects/${project.id}/releases`, { tag_name, ref: 'main' })
})

test('a link is added, listed with the newest first, changed and deleted', async () => {
  const one = await add('v1', { name: 'One', url: 'https://example.com/1', filepath: '/bin/one' })
  const home = `${forge.app.config.url}/${project.full_path}`
  const direct = `${home}/-/releases/v1/downloads/bin/one`
  expect([one.status, one.body]).toEqual([
    201,
    { id: one.body.id, name: 'One', url: 'https://example.com/1', direct_asset_url: direct, link_type: 'other' },
  ])
  const two = await add('v1', { name: 'Two', url: 'ftp://example.com/2', link_type: 'package' })
  expect(two.body).toMatchObject({ direct_asset_url: 'ftp://example.com/2', link_type: 'package' })
  expect((await forge.as(guest).get(at('v1'))).body).toEqual([two.body, one.body])
  expect((await forge.as(guest).get(at('v1', `/${one.body.id}`))).body).toEqual(one.body)
  expect((await forge.as(developer).get(`/projects/${project.id}/releases/v1`)).body.assets).toMatchObject({
    count: 6,
    links: [two.body, one.body],
  })

  const led = await forge.as(developer).get(`/${direct.slice(forge.app.config.url.length)}`)
  expect([led.status, led.headers.location]).toEqual([302, 'https://example.com/1'])
  expect((await forge.as(guest).get(`/${direct.slice(forge.app.config.url.length)}`)).status).toBe(404)
  expect((await forge.as(developer).get(`/${direct.slice(forge.app.config.url.length)}x`)).status).toBe(404)

  const ofApi = `/projects/${project.id}/releases`
  const latest = await add('full', { name: 'Latest', url: 'https://example.com/1', filepath: '/bin/latest' })
  for (const path of [`${ofApi}/v1/downloads/bin/one`, `${ofApi}/permalink/latest/downloads/bin/latest`]) {
    const answer = await forge.as(developer).get(path)
    expect([path, answer.status, answer.headers.location, answer.text]).toEqual([path, 302, 'https://example.com/1', ''])
    const head = await forge.as(developer).head(path)
    expect([head.status, head.headers.location]).toEqual([302, 'https://example.com/1'])
    expect((await forge.as(guest).get(path)).status).toBe(403)
    for (const odd of ['x', '/..', 'x'.repeat(2_000)])
      expect([odd, (await forge.as(developer).get(`${path}${odd}`)).status]).toEqual([odd, 404])
    expect((await forge.as(developer).get(`${path}%00`)).status).toBe(400)
  }
  await forge.as(developer).delete(at('full', `/${latest.body.id}`))

  const below = `//${project.full_path}/-`
  const odd = ['releases/v1/downloads', 'releases/v1/downloads/%00', 'releases/%00/downloads/bin/one', 'releases/nothing/downloads/bin/one']
  for (const path of [...odd, 'archive/%00/x.zip', 'archive/main/x.rar', `releases/${'/-/archive/'.repeat(1_000)}`]) {
    expect([path.slice(0, 40), (await forge.as(developer).get(`${below}/${path}`)).status]).toEqual([path.slice(0, 40), 404])
  }

  const changed = await forge.as(developer).put(at('v1', `/${one.body.id}`), { name: 'First', direct_asset_path: '' })
  expect([changed.status, changed.body]).toEqual([200, { ...one.body, name: 'First', direct_asset_url: 'https://example.com/1' }])
  expect((await forge.as(developer).delete(at('v1', `/${two.body.id}`))).body).toEqual(two.body)
  expect((await forge.as(developer).get(at('v1', `/${two.body.id}`))).status).toBe(404)
})

test('a link that cannot be is refused with 400 and the reason', async () => {
  await add('v2', { name: 'Taken', url: 'https://taken.example.com', direct_asset_path: '/taken' })
  const url = 'https://example.com'
  const scheme = { url: ['is blocked: Only allowed schemes are http, https, ftp'] }
  const noUrl = { url: ['must be a valid URL'] }
  const noPath = { filepath: ['is in an invalid format'] }
  const refused: Array<[object, object]> = [
    [{ url }, { error: 'name is missing' }],
    [{ name: 'a' }, { error: 'url is missing' }],
    [{ name: 'a', url, link_type: 'evil' }, { error: 'link_type does not have a valid value' }],
    [{ name: ' ', url }, { message: { name: ["can't be blank"] } }],
    [{ name: 'a\nb', url }, { message: { name: ['is invalid'] } }],
    [{ name: 'x'.repeat(256), url }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    ...['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'ssh://a', 'JavaScript:x', 'vbscript:x'].map(
      (url): [object, object] => [{ name: 'a', url }, { message: scheme }],
    ),
    ...['example.com', '/relative', 'https://', 'http:\\\\a', 'https:a', 'https://a b', 'https://a\tb', ' https://a'].map(
      (url): [object, object] => [{ name: 'a', url }, { message: noUrl }],
    ),
    ...['bin', '/', '//a', '/a/', '/../a', '/a/..', '/a b', '/a-', '/ä', '/a\n', '/a//b'].map((direct_asset_path): [object, object] => [
      { name: 'a', url, direct_asset_path },
      { message: noPath },
    ]),
    [{ name: 'a', url, filepath: `/${'a-'.repeat(80)}b` }, { message: { filepath: ['is too long (maximum is 128 characters)'] } }],
    [{ name: 'Taken', url }, { message: { name: ['has already been taken'] } }],
    [{ name: 'a', url: 'https://taken.example.com' }, { message: { url: ['has already been taken'] } }],
    [{ name: 'a', url, direct_asset_path: '/taken' }, { message: { filepath: ['has already been taken'] } }],
  ]
  for (const [link, body] of refused) {
    const answer = await add('v2', link)
    expect([link, answer.status, answer.body]).toEqual([link, 400, body])
  }
  expect((await forge.as(developer).get(at('v2'))).body).toHaveLength(1)
  const again = await add('v2', { name: 'Other', url })
  const change = await forge.as(developer).put(at('v2', `/${again.body.id}`), { name: 'Taken' })
  expect([change.status, change.body]).toEqual([400, { message: { name: ['has already been taken'] } }])
  expect((await forge.as(developer).put(at('v2', `/${again.body.id}`), {})).status).toBe(400)
})

test('a link of another release or project is not found', async () => {
  const { body } = await add('v1', { name: 'Mine', url: 'https://mine.example.com' })
  const other = await forge.project({ developer })
  await forge.as(developer).post(`/projects/${other.id}/releases`, { tag_name: 'v1', ref: 'main' })
  for (const path of [at('v2', `/${body.id}`), `/projects/${other.id}/releases/v1/assets/links/${body.id}`, at('nothing', `/${body.id}`)]) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect([
        path,
        method,
        (await forge.as(developer).request(method, path, method === 'PUT' ? { name: 'x' } : undefined)).status,
      ]).toEqual([path, method, 404])
    }
  }
})

test('a release has 200 links at most', async () => {
  const { id } = await forge.app.db.selectFrom('releases').select('id').where('tag_name', '=', 'full').executeTakeFirstOrThrow()
  const links = Array.from({ length: 200 }, (_, index) => ({
    project_id: project.id,
    release_id: id,
    name: String(index),
    url: `https://example.com/${index}`,
    link_type: 'other' as const,
    created_at: new Date().toISOString(),
  }))
  await forge.app.db.insertInto('release_links').values(links).execute()
  const answer = await add('full', { name: 'More', url: 'https://example.com/more' })
  expect([answer.status, answer.body]).toEqual([400, { message: 'A release has 200 links at most' }])
})
