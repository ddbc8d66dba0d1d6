/** Releases: with their tags, both or neither; one row, seen from the releases and from the tags. */
import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let developer: TestUser
let maintainer: TestUser
let reporter: TestUser
let guest: TestUser
let project: TestProject
let tip: string
const at = (path = '') => `/projects/${project.id}/releases${path}`
const create = (release: object, user = developer) => forge.as(user).post(at(), release)
const hasTag = async (name: string) => (await git(project.dir, 'tag', '-l', name)) !== ''

beforeAll(async () => {
  forge = await testForge()
  ;[developer, maintainer, reporter, guest] = await Promise.all([forge.user(), forge.user(), forge.user(), forge.user()])
  project = await forge.project({
    developer,
    maintainer,
    reporter,
    guest,
    commits: ['one', 'two'].map((message) => ({ message, files: { a: message } })),
  })
  tip = await git(project.dir, 'rev-parse', 'main')
})

test('a release creates its tag by a push, and has every field clients read', async () => {
  const { status, body } = await create({ tag_name: 'v/1', ref: 'main', name: 'First', description: '**Bold**', tag_message: 'Signed off' })
  const home = `${forge.app.config.url}/${project.full_path}`
  expect([status, body]).toMatchObject([
    201,
    {
      tag_name: 'v/1',
      name: 'First',
      description: '**Bold**',
      upcoming_release: false,
      author: { id: developer.id, username: developer.username },
      commit: { id: tip, web_url: `${home}/-/commit/${tip}` },
      milestones: [],
      evidences: [{ sha: expect.stringMatching(/^[0-9a-f]{64}$/), filepath: `${home}/-/releases/v%2F1/evidences/1.json` }],
      commit_path: `/${project.full_path}/-/commit/${tip}`,
      tag_path: `/${project.full_path}/-/tags/v%2F1`,
      assets: { count: 4, links: [] },
      _links: { self: `${home}/-/releases/v%2F1` },
    },
  ])
  expect(body.released_at).toBe(body.created_at)
  expect(await git(project.dir, 'cat-file', '-t', 'v/1')).toBe('tag')
  const events = await forge.app.db.selectFrom('events').selectAll().where('ref', '=', 'refs/tags/v/1').execute()
  expect(events).toMatchObject([{ action: 'pushed', author_id: developer.id, after_oid: await git(project.dir, 'rev-parse', 'v/1') }])
  expect(await forge.app.db.selectFrom('push_intents').selectAll().execute()).toEqual([])

  const seen = await forge.as(reporter).get(at('/v%2F1?include_html_description=true'))
  expect(seen.body).toEqual({ ...body, description_html: '<p dir="auto"><strong>Bold</strong></p>' })
  const tag = await forge.as(reporter).get(`/projects/${project.id}/repository/tags/v%2F1`)
  expect(tag.body.release).toEqual({ tag_name: 'v/1', description: '**Bold**' })
})

test('every source of a release can be downloaded by those who may read the code', async () => {
  const { body } = await create({ tag_name: 'src/1', ref: 'main' })
  expect(body.assets.sources.map(({ format }: { format: string }) => format)).toEqual(['zip', 'tar.gz', 'tar.bz2', 'tar'])
  for (const { format, url } of body.assets.sources) {
    const path = url.slice(forge.app.config.url.length)
    const answer = await forge.as(reporter).get(`/${path}`)
    expect([format, answer.status, answer.headers['content-disposition']]).toEqual([
      format,
      200,
      expect.stringContaining(`src-1-${tip}.${format}`),
    ])
    expect((await forge.as(guest).get(`/${path}`)).status).toBe(404)
    expect((await forge.anonymous.get(`/${path}`)).status).toBe(404)
    expect((await forge.as(reporter).get(`/${path.replace('src%2F1', 'nothing')}`)).status).toBe(404)
  }
})

test('releases made through tags appear among releases, and the reverse', async () => {
  await forge.as(developer).post(`/projects/${project.id}/repository/tags`, { tag_name: 'old', ref: 'main', release_description: 'Words' })
  const { body } = await forge.as(developer).get(at('/old'))
  expect(body).toMatchObject({ tag_name: 'old', name: 'old', description: 'Words', author: { id: developer.id } })

  expect((await forge.as(developer).put(at('/old'), { description: 'Others', name: 'Old one' })).body.name).toBe('Old one')
  expect((await forge.as(developer).get(`/projects/${project.id}/repository/tags/old`)).body.release.description).toBe('Others')
  await forge.as(developer).put(`/projects/${project.id}/repository/tags/old/release`, { description: 'Third' })
  expect((await forge.as(developer).get(at('/old'))).body).toMatchObject({ name: 'Old one', description: 'Third' })

  const again = await create({ tag_name: 'old', ref: 'main' })
  expect([again.status, again.body]).toEqual([409, { message: 'Release already exists' }])
  const deleted = await forge.as(developer).delete(at('/old'))
  expect([deleted.status, deleted.body.description]).toEqual([200, 'Third'])
  expect([await hasTag('old'), (await forge.as(developer).get(at('/old'))).status]).toEqual([true, 404])
  await create({ tag_name: 'old' })
  expect((await forge.as(maintainer).delete(`/projects/${project.id}/repository/tags/old`)).status).toBe(204)
  expect((await forge.as(developer).get(at('/old'))).status).toBe(404)
})

test('the list is sorted by date either way; an upcoming release is marked, and is not the latest', async () => {
  const own = await forge.project({ developer })
  const url = `/projects/${own.id}/releases`
  const none = await forge.as(developer).get(`${url}/permalink/latest`)
  expect([none.status, none.body]).toEqual([404, { message: '404 Not found' }])
  for (const [tag_name, released_at] of [
    ['b', '2020-01-01'],
    ['a', '2019-01-01T00:00:00+01:00'],
    ['c', '2999-01-01'],
  ]) {
    expect((await forge.as(developer).post(url, { tag_name, ref: 'main', released_at })).status).toBe(201)
  }
  const names = async (query: string) =>
    (await forge.as(developer).get(`${url}${query}`)).body.map(({ tag_name }: { tag_name: string }) => tag_name)
  expect(await names('')).toEqual(['c', 'b', 'a'])
  expect(await names('?sort=asc')).toEqual(['a', 'b', 'c'])
  expect(await names('?order_by=created_at')).toEqual(['c', 'a', 'b'])
  expect(await names('?order_by=created_at&sort=asc&per_page=1&page=2')).toEqual(['a'])
  expect((await forge.as(developer).get(`${url}?order_by=name`)).status).toBe(400)
  expect((await forge.as(developer).get(`${url}/c`)).body.upcoming_release).toBe(true)
  expect((await forge.as(developer).get(`${url}/a`)).body.released_at).toBe('2018-12-31T23:00:00.000Z')
  expect((await forge.as(developer).get(`${url}/permalink/latest`)).body.tag_name).toBe('b')
})

test('evidence is a snapshot of a release, collected when it is created and on request', async () => {
  const own = await forge.project({ developer, reporter, guest, visibility: 'private' })
  const [root, client] = [forge.as(forge.root), forge.as(developer)]
  const { body: milestone } = await root.post(`/projects/${own.id}/milestones`, { title: '1.0' })
  await root.post(`/projects/${own.id}/issues`, { title: 'Done in it', milestone_id: milestone.id })
  await root.post(`/projects/${own.id}/issues`, { title: 'A secret', milestone_id: milestone.id, confidential: true })
  const url = `/projects/${own.id}/releases`
  const { body: first } = await client.post(url, { tag_name: 'v/1', ref: 'main', description: 'As planned', milestones: ['1.0'] })
  await client.post(url, { tag_name: 'soon', ref: 'main', released_at: '2999-01-01' })
  await client.put(`${url}/v%2F1`, { description: 'Changed' })

  const asked = await client.post(`${url}/v%2F1/evidence`)
  const { evidences } = (await client.get(`${url}/v%2F1`)).body
  expect([asked.status, asked.body, evidences.length]).toEqual([202, null, 2])
  expect(evidences[0]).toEqual(first.evidences[0])
  expect((await client.get(`${url}/soon`)).body.evidences).toEqual([])

  const file = (at: { filepath: string }) => `/${at.filepath.slice(forge.app.config.url.length)}`
  const before = await client.get(file(evidences[0]))
  expect([before.status, before.headers['content-type']]).toEqual([200, 'application/json'])
  expect(createHash('sha256').update(before.bytes).digest('hex')).toBe(evidences[0].sha)
  expect(before.body.release).toMatchObject({
    tag_name: 'v/1',
    description: 'As planned',
    project: { id: own.id },
    milestones: [{ title: '1.0', issues: [{ title: 'Done in it', state: 'opened' }] }],
  })
  expect(before.text).not.toContain('A secret')
  expect((await client.get(file(evidences[1]))).body.release.description).toBe('Changed')

  for (const odd of [
    'v%2F1/evidences/0.json',
    'v%2F1/evidences/999999.json',
    'v%2F1/evidences/x.json',
    `soon/evidences/${/\d+(?=\.json)/.exec(file(evidences[0]))?.[0]}.json`,
  ])
    expect([odd, (await client.get(`//${own.full_path}/-/releases/${odd}`)).status]).toEqual([odd, 404])
  expect((await forge.as(guest).get(file(evidences[0]))).status).toBe(404)
  expect((await forge.as(reporter).post(`${url}/v%2F1/evidence`)).status).toBe(403)
  await root.put(`/projects/${own.id}`, { issues_access_level: 'disabled' })
  expect((await client.get(file(evidences[0]))).status).toBe(404)
})

test('a group lists the releases of its projects whose code the caller may read, for a fixed number of statements', async () => {
  const group = await forge.group({ visibility: 'public' })
  const inside = await forge.group({ parent: group, visibility: 'public' })
  const guest = await forge.user()
  const open = await forge.project({ group: inside, visibility: 'public' })
  const hidden = await forge.project({ group, guest, visibility: 'private' })
  const release = (own: { id: number }, tag_name: string, released_at: string) =>
    forge.as(forge.root).post(`/projects/${own.id}/releases`, { tag_name, ref: 'main', released_at, description: `Of ${tag_name}` })
  await release(open, 'v2', '2020-02-01')
  await release(hidden, 'v1', '2020-01-01')
  const names = async (user: TestUser, query = '') =>
    (await forge.as(user).get(`/groups/${group.id}/releases${query}`)).body.map(({ tag_name }: { tag_name: string }) => tag_name)

  expect(await names(forge.root)).toEqual(['v2', 'v1'])
  expect(await names(forge.root, '?sort=asc')).toEqual(['v1', 'v2'])
  expect([await names(guest), await names(guest, '?per_page=1&page=2')]).toEqual([['v2'], []])
  const { body: own } = await forge.as(guest).get(`/projects/${open.id}/releases`)
  expect((await forge.as(guest).get(`/groups/${group.id}/releases`)).body).toEqual(own)

  const cost = () => forge.cost(() => names(forge.root))
  const few = await cost()
  for (const index of [3, 4, 5]) await release(index === 4 ? hidden : open, `v${index}`, '2021-01-01')
  expect((await cost()).statements).toBeLessThanOrEqual(few.statements)
})

test('an invalid release is rejected with the reason and leaves neither tag nor release', async () => {
  const refused: Array<[object, number, object]> = [
    [{}, 400, { error: 'tag_name is missing' }],
    [{ tag_name: 'fresh' }, 422, { message: 'Ref is not specified' }],
    [{ tag_name: 'fresh', ref: 'nothing' }, 400, { message: 'Target nothing is invalid' }],
    [{ tag_name: 'a b', ref: 'main' }, 400, { message: 'Tag name invalid' }],
    [{ tag_name: '', ref: 'main' }, 400, { message: 'Tag name invalid' }],
    [{ tag_name: 'fresh', ref: 'main', name: 'a\u0001b' }, 400, { message: { name: ['is invalid'] } }],
    [{ tag_name: 'fresh', ref: 'main', name: 'x'.repeat(256) }, 400, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [{ tag_name: 'fresh', ref: 'main', released_at: 'soon' }, 400, { error: 'released_at is invalid' }],
    [{ tag_name: 'fresh', ref: 'main', milestones: ['1.0'] }, 400, { message: 'Milestone(s) not found: 1.0' }],
    [
      { tag_name: 'fresh', ref: 'main', assets: { links: [{ name: 'a', url: 'javascript:alert(1)' }] } },
      400,
      { message: { url: ['is blocked: Only allowed schemes are http, https, ftp'] } },
    ],
    [
      {
        tag_name: 'fresh',
        ref: 'main',
        assets: {
          links: [
            { name: 'a', url: 'https://a' },
            { name: 'a', url: 'https://b' },
          ],
        },
      },
      400,
      { message: { name: ['has already been taken'] } },
    ],
  ]
  for (const [release, status, body] of refused) {
    const answer = await create(release)
    expect([release, answer.status, answer.body]).toEqual([release, status, body])
  }
  expect([(await forge.as(developer).get(at('/fresh'))).status, await hasTag('fresh')]).toEqual([404, false])
  expect(await forge.app.db.selectFrom('push_intents').selectAll().execute()).toEqual([])
  expect((await create({ tag_name: 'fresh', ref: 'main' }, reporter)).status).toBe(403)
  for (const name of ['nothing', 'main', '%00', '-n']) {
    expect([name, (await forge.as(developer).get(at(`/${name}`))).status]).toEqual([name, 404])
    expect([name, (await forge.as(developer).put(at(`/${name}`), { name: 'x' })).status]).toEqual([name, 404])
  }
})

test('of many who release one tag at once, one succeeds', async () => {
  const answers = await Promise.all(['main', 'main~1', 'main', 'main~1'].map((ref) => create({ tag_name: 'race', ref })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
})

test('a protected tag is released by those who may create it', async () => {
  await forge.as(maintainer).post(`/projects/${project.id}/protected_tags`, { name: 'stable-*', create_access_level: 40 })
  const message = 'You are not allowed to create this tag as it is protected.'
  const refused = await create({ tag_name: 'stable-1', ref: 'main' })
  expect([refused.status, refused.body, await hasTag('stable-1')]).toEqual([403, { message }, false])
  expect((await create({ tag_name: 'stable-1', ref: 'main' }, maintainer)).status).toBe(201)
  const link = { name: 'a', url: 'https://a.example.com' }
  for (const [method, path, body] of [
    ['PUT', '/stable-1', { name: 'Mine' }],
    ['DELETE', '/stable-1', undefined],
    ['POST', '/stable-1/assets/links', link],
  ] as const) {
    const answer = await forge.as(developer).request(method, at(path), body)
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 403, { message }])
  }
})

test('long descriptions are not rendered, so that a list takes no longer than a few of them', async () => {
  const own = await forge.project({ developer })
  const url = `/projects/${own.id}/releases`
  for (const tag_name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await forge.as(developer).post(url, { tag_name, ref: 'main', description: 'x '.repeat(25_000) })
  }
  await forge.as(developer).post(url, { tag_name: 'long', ref: 'main', description: 'x '.repeat(40_000) })
  const { body } = await forge.as(developer).get(`${url}?include_html_description=true`)
  const rendered = body.map(({ description_html }: { description_html: string | null }) => description_html !== null)
  expect(rendered).toEqual([false, true, true, true, true, true, false])
})

test('guests of a private project see releases without code-related fields', async () => {
  await create({ tag_name: 'shown', ref: 'main', name: 'Shown', description: 'Words' })
  const { body } = await forge.as(guest).get(at())
  const shown = body.find(({ name }: { name: string }) => name === 'Shown')
  expect(Object.keys(shown).sort()).toEqual(
    ['name', 'description', 'created_at', 'released_at', 'upcoming_release', 'author', 'milestones', 'assets', '_links'].sort(),
  )
  expect([shown.assets, shown._links]).toEqual([{ count: 0, links: [] }, {}])
  expect((await forge.as(guest).get(at('/shown'))).status).toBe(403)

  const links = [{ name: 'File', url: 'https://example.com/file', direct_asset_path: '/file' }]
  await create({ tag_name: 'secret-tag', ref: 'main', assets: { links } })
  const listed = await forge.as(guest).get(at())
  expect(listed.text).toContain('"direct_asset_url":"https://example.com/file"')
  expect(listed.text).not.toContain('secret-tag')
  expect((await forge.as(await forge.user()).get(at())).status).toBe(404)
})

test('releases are no more visible than the repository', async () => {
  const owner = await forge.user()
  const own = await forge.project({ owner, guest, visibility: 'public' })
  const url = `/projects/${own.id}/releases`
  await forge.as(owner).post(url, { tag_name: 'v1', ref: 'main', assets: { links: [{ name: 'File', url: 'https://example.com/file' }] } })
  const seen = async (by: Forge['anonymous']) =>
    Promise.all([url, `${url}/v1/assets/links`].map(async (path) => (await by.get(path)).status))
  expect(await seen(forge.anonymous)).toEqual([200, 200])
  for (const [level, stranger, member] of [
    ['private', [403, 403], [200, 200]],
    ['disabled', [403, 403], [403, 403]],
  ] as const) {
    const sent = { repository_access_level: level, merge_requests_access_level: level, builds_access_level: level }
    expect((await forge.as(owner).put(`/projects/${own.id}`, sent)).status).toBe(200)
    expect([level, await seen(forge.as(reporter)), await seen(forge.as(guest))]).toEqual([level, stranger, member])
  }
})

test('a release whose tag git deleted stays, without a commit; a deleted author becomes the Ghost User', async () => {
  const leaver = await forge.user()
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: leaver.id, access_level: 30 })
  await create({ tag_name: 'lost', ref: 'main' }, leaver)
  await git(project.dir, 'tag', '-d', 'lost')
  expect((await forge.as(reporter).get(at('/lost'))).body).toMatchObject({ tag_name: 'lost', commit: null, commit_path: null })
  await forge.as(forge.root).delete(`/users/${leaver.id}`)
  expect((await forge.as(reporter).get(at('/lost'))).body.author.username).toBe('ghost')
})
