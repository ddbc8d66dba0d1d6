/** Making and deleting tags and their releases through the API: what git has afterwards, and why it is refused. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'

let forge: Forge
let developer: TestUser
let maintainer: TestUser
let reporter: TestUser
let project: TestProject
let tip: string
const at = (path = '') => `/projects/${project.id}/repository/tags${path}`
const create = (tag: object, user = developer) => forge.as(user).post(at(), tag)
const tagsOf = async () => (await git(project.dir, 'tag')).split('\n').filter(Boolean)

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  // No user is called so any more; one of before may be.
  await forge.app.db.updateTable('users').set({ name: 'Ann <x> O\nBrien' }).where('id', '=', developer.id).execute()
  maintainer = await forge.user()
  reporter = await forge.user()
  project = await forge.project({
    developer,
    maintainer,
    reporter,
    commits: ['one', 'two'].map((message) => ({ message, files: { a: message } })),
  })
  tip = await git(project.dir, 'rev-parse', 'main')
})

test('a tag without a message points to the commit, whether that is named by branch, tag or id', async () => {
  for (const [tag_name, ref, revision] of [
    ['light', 'main', 'main'],
    ['from/light', 'light', 'main'],
    ['by-id', await git(project.dir, 'rev-parse', 'main~1'), 'main~1'],
    ['before', 'main~1', 'main~1'],
  ] as const) {
    const { status, body } = await create({ tag_name, ref, message: ' \n' })
    const oid = await git(project.dir, 'rev-parse', revision)
    expect([status, body]).toMatchObject([201, { name: tag_name, message: null, target: oid, commit: { id: oid }, release: null }])
    expect(await git(project.dir, 'rev-parse', `refs/tags/${tag_name}`)).toBe(oid)
    expect((await forge.as(reporter).get(at(`/${encodeURIComponent(tag_name)}`))).body).toEqual(body)
  }
})

test('a message makes an annotated tag in the name of its maker, and adds no header of its own', async () => {
  const message = 'tagger Eve <eve@example.com> 0 +0000\n\nobject 0\n\nReally – ünï 😀'
  const { status, body } = await create({ tag_name: 'v1', ref: 'light', message: `\n${message}\n\n` })
  expect([status, body]).toMatchObject([201, { name: 'v1', message, commit: { id: tip }, release: null }])
  const raw = await git(project.dir, 'cat-file', 'tag', 'v1')
  expect(raw).toMatch(/^object [0-9a-f]{40}\ntype commit\ntag v1\ntagger Ann x OBrien <[^>]+> \d+ \+0000\n\ntagger Eve/)
  expect(body.target).toBe(await git(project.dir, 'rev-parse', 'v1'))
  expect(body.target).not.toBe(tip)
  expect((await tryGit(project.dir, 'fsck', '--strict')).code).toBe(0)
})

test('creating and deleting a tag records push events', async () => {
  await create({ tag_name: 'told', ref: 'main' })
  await forge.as(maintainer).delete(at('/told'))
  const events = await forge.app.db.selectFrom('events').selectAll().where('ref', '=', 'refs/tags/told').orderBy('id').execute()
  expect(events).toMatchObject([
    { action: 'pushed', author_id: developer.id, before_oid: null, after_oid: tip },
    { action: 'pushed', author_id: maintainer.id, before_oid: tip, after_oid: null },
  ])
})

test('an invalid tag is rejected with 405 and the reason, and nothing changes', async () => {
  await create({ tag_name: 'there', ref: 'main' })
  const before = await tagsOf()
  const refused: Array<[object, string]> = [
    [{ tag_name: 'there', ref: 'main' }, 'Tag there already exists'],
    [{ tag_name: 'there', ref: 'nothing' }, 'Tag there already exists'],
    [{ tag_name: 'there/below', ref: 'main' }, 'Tag there/below cannot stand beside another one'],
    ...['nothing', '', '-n', '--all', 'main..light', 'main:a', '@{0}', 'HEAD^{tree}', 'x'.repeat(5_000), '0'.repeat(40)].map(
      (ref): [object, string] => [{ tag_name: 'fresh', ref }, `Target ${ref} is invalid`],
    ),
    ...[
      '',
      ' ',
      'a b',
      '-n',
      'a..b',
      'HEAD',
      '@',
      'a.lock',
      'a/',
      '/a',
      'a//b',
      '.a',
      'a\nb',
      'a\x7f',
      'refs/heads/a',
      'x'.repeat(2_000),
      '\ud800',
    ].map((tag_name): [object, string] => [{ tag_name, ref: 'main' }, 'Tag name invalid']),
  ]
  for (const [tag, message] of refused) {
    const answer = await create(tag)
    expect([tag, answer.status, answer.body]).toEqual([tag, 405, { message }])
  }
  for (const [tag, error] of [
    [{ ref: 'main' }, 'tag_name is missing'],
    [{ tag_name: 'fresh' }, 'ref is missing'],
    [{ tag_name: ['a'], ref: 'main' }, 'tag_name is invalid'],
    [{ tag_name: 'fresh', ref: 'main', message: 'a\0b' }, 'message is invalid'],
  ] as const) {
    const answer = await create(tag)
    expect([tag, answer.status, answer.body]).toEqual([tag, 400, { error }])
  }
  expect(await tagsOf()).toEqual(before)
})

test('in an empty repository no target is valid; in an archived project nobody makes or deletes tags', async () => {
  const empty = await forge.project({ developer, files: null })
  const answer = await forge.as(developer).post(`/projects/${empty.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  expect([answer.status, answer.body]).toEqual([405, { message: 'Target main is invalid' }])

  const closed = await forge.project({ maintainer })
  await git(closed.dir, 'tag', 'v1', 'main')
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', closed.id).execute()
  const tags = `/projects/${closed.id}/repository/tags`
  for (const [method, path, body] of [
    ['POST', tags, { tag_name: 'v2', ref: 'main' }],
    ['DELETE', `${tags}/v1`, undefined],
    ['POST', `${tags}/v1/release`, { description: 'x' }],
    ['PUT', `${tags}/v1/release`, { description: 'x' }],
  ] as const) {
    expect([method, (await forge.as(maintainer).request(method, path, body)).status]).toEqual([method, 403])
  }
  expect(await git(closed.dir, 'tag')).toBe('v1')
})

test('of many concurrent creations of one tag one succeeds, and the others get the reason', async () => {
  const answers = await Promise.all(['main', 'main~1', 'main', 'main~1'].map((ref) => create({ tag_name: 'race', ref })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 405, 405, 405])
  const [made] = answers.filter(({ status }) => status === 201)
  for (const { status, body } of answers) if (status === 405) expect(body).toEqual({ message: 'Tag race already exists' })
  expect(made?.body.target).toBe(await git(project.dir, 'rev-parse', 'race'))
})

test('protected tags are made by those who may, and deleted by nobody', async () => {
  await forge.as(maintainer).post(`/projects/${project.id}/protected_tags`, { name: 'stable-*', create_access_level: 40 })
  const tag = { tag_name: 'stable-1', ref: 'main' }
  const refused = await create(tag)
  expect([refused.status, refused.body]).toEqual([405, { message: 'You are not allowed to create this tag as it is protected.' }])
  expect(await tagsOf()).not.toContain('stable-1')

  expect((await create({ ...tag, release_description: 'Firm' }, maintainer)).status).toBe(201)
  const kept = await forge.as(maintainer).delete(at('/stable-1'))
  expect([kept.status, kept.body]).toEqual([400, { message: 'Protected tags cannot be deleted.' }])
  expect((await forge.as(reporter).get(at('/stable-1'))).body.release).toEqual({ tag_name: 'stable-1', description: 'Firm' })
})

test('a release is made with a tag or later, once, is changed, and is shown with its tag', async () => {
  const made = await create({ tag_name: 'r1', ref: 'main', release_description: '# First' })
  expect(made.body.release).toEqual({ tag_name: 'r1', description: '# First' })
  await create({ tag_name: 'r2', ref: 'main', release_description: ' ' })
  expect((await forge.as(reporter).get(at('/r2'))).body.release).toBeNull()

  const none = await forge.as(developer).put(at('/r2/release'), { description: 'x' })
  expect([none.status, none.body]).toEqual([404, { message: 'Release does not exist' }])
  const attached = await forge.as(developer).post(at('/r2/release'), { description: 'Second' })
  expect([attached.status, attached.body]).toEqual([201, { tag_name: 'r2', description: 'Second' }])
  const again = await forge.as(developer).post(at('/r2/release'), { description: 'Third' })
  expect([again.status, again.body]).toEqual([409, { message: 'Release already exists' }])
  const changed = await forge.as(developer).put(at('/r2/release'), { description: 'Third' })
  expect([changed.status, changed.body]).toEqual([200, { tag_name: 'r2', description: 'Third' }])

  const listed = (await forge.as(reporter).get(at('?search=^r&order_by=name&sort=asc'))).body
  expect(listed.map(({ name, release }: { name: string; release: unknown }) => [name, release])).toEqual([
    ['r1', { tag_name: 'r1', description: '# First' }],
    ['r2', { tag_name: 'r2', description: 'Third' }],
    ['race', null],
  ])
})

test('of many who attach a release at once one succeeds', async () => {
  await create({ tag_name: 'contended', ref: 'main' })
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((description) => forge.as(developer).post(at('/contended/release'), { description })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
})

test('a release needs a tag, a description, and a developer', async () => {
  await create({ tag_name: 'bare', ref: 'main' })
  for (const method of ['POST', 'PUT']) {
    for (const name of ['nothing', 'main', 'a%20b', '-n', '..%2F..']) {
      const answer = await forge.as(developer).request(method, at(`/${name}/release`), { description: 'x' })
      expect([method, name, answer.status, answer.body]).toEqual([method, name, 404, { message: 'Tag does not exist' }])
    }
    const missing = await forge.as(developer).request(method, at('/bare/release'), {})
    expect([missing.status, missing.body]).toEqual([400, { error: 'description is missing' }])
    const blank = await forge.as(developer).request(method, at('/bare/release'), { description: ' \n' })
    expect([blank.status, blank.body]).toEqual([400, { message: { description: ["can't be blank"] } }])
    expect((await forge.as(reporter).request(method, at('/bare/release'), { description: 'x' })).status).toBe(403)
  }
  expect((await create({ tag_name: 'mine', ref: 'main' }, reporter)).status).toBe(403)
  expect((await forge.as(reporter).delete(at('/bare'))).status).toBe(403)
  expect((await forge.as(reporter).get(at('/bare'))).body.release).toBeNull()
})

test('a deleted tag is gone with its release, at once and for good', async () => {
  await create({ tag_name: 'gone', ref: 'main', message: 'Annotated', release_description: 'Words' })
  const refused = await forge.as(developer).delete(at('/gone'))
  expect([refused.status, refused.body]).toEqual([400, { message: 'You are not allowed to change existing tags on this project.' }])
  const stale = await forge
    .as(maintainer)
    .delete(at('/gone'), undefined, { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' } })
  expect(stale.status).toBe(412)
  expect(await tagsOf()).toContain('gone')

  const deleted = await forge.as(maintainer).delete(at('/gone'))
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect((await forge.as(reporter).get(at('/gone'))).status).toBe(404)
  expect(await tagsOf()).not.toContain('gone')
  expect((await create({ tag_name: 'gone', ref: 'main' })).body.release).toBeNull()
  for (const name of ['nothing', 'main', '-n', 'a%20b', '%00']) {
    const answer = await forge.as(maintainer).delete(at(`/${name}`))
    expect([name, answer.status, answer.body]).toEqual([name, 404, { message: '404 Tag Not Found' }])
  }
})

test('a tag deleted by git comes back with its release, unless it is made with another', async () => {
  await create({ tag_name: 'back', ref: 'main', release_description: 'Old words' })
  await git(project.dir, 'tag', '-d', 'back')
  await git(project.dir, 'tag', 'back', 'main~1')
  expect((await forge.as(reporter).get(at('/back'))).body.release.description).toBe('Old words')
  await git(project.dir, 'tag', '-d', 'back')
  expect((await create({ tag_name: 'back', ref: 'main', release_description: 'New words' })).body.release.description).toBe('New words')
})

test('the list is current right after a tag is created, moved or deleted', async () => {
  const own = await forge.project({ maintainer })
  const tags = `/projects/${own.id}/repository/tags`
  const names = async () =>
    (await forge.as(maintainer).get(`${tags}?order_by=name&sort=asc`)).body.map(({ name }: { name: string }) => name)
  const expected: string[] = []
  for (const name of ['a', 'b/c', 'b/d']) {
    await forge.as(maintainer).post(tags, { tag_name: name, ref: 'main' })
    expected.push(name)
    expect(await names()).toEqual(expected)
  }
  for (const name of ['b/c', 'a']) {
    await forge.as(maintainer).delete(`${tags}/${encodeURIComponent(name)}`)
    expected.splice(expected.indexOf(name), 1)
    expect(await names()).toEqual(expected)
  }
})
